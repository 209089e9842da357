//! Processes that hold memories and do as they are told, line by line.
//!
//! The test binary runs itself again as a worker: [`play`] reads commands from its standard input and answers each on
//! its standard output. A test file that uses this has `mod bags; mod workers;`.
#![allow(dead_code, reason = "each test file uses its part")]

mod commands;
mod play;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command as Program, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};

pub(crate) use commands::*;

/// A store waits 90 seconds for another process; whoever is silent for longer hangs.
const PATIENCE: Duration = Duration::from_secs(150);

/// What a line of an answer begins with: the test harness writes to the same place.
const MARK: &str = "@answer ";

/// Another process.
pub(crate) struct Worker {
    child: Child,
    commands: Option<ChildStdin>,
    answers: Receiver<Answer>,
}

impl Worker {
    pub(crate) fn start() -> Self {
        let mut child = Program::new(std::env::current_exe().unwrap())
            .args(["--exact", "workers::play::play", "--ignored", "--nocapture", "--test-threads=1"])
            .env("AFORESAID_WORKER", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (answered, answers) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // A killed worker may leave half a line.
                let answer = line.split_once(MARK).and_then(|(_, answer)| serde_json::from_str(answer).ok());
                if answer.is_some_and(|answer| answered.send(answer).is_err()) {
                    break;
                }
            }
        });
        Self { commands: child.stdin.take(), child, answers }
    }

    /// Sends a command without waiting for what comes of it.
    pub(crate) fn send(&mut self, command: &Command) {
        let line = serde_json::to_string(command).unwrap();
        let commands = self.commands.as_mut().unwrap();
        writeln!(commands, "{line}").and_then(|()| commands.flush()).unwrap();
    }

    /// The answer to the oldest command that has none yet.
    pub(crate) fn answer(&mut self) -> Answer {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => panic!("a worker has said nothing for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("a worker has ended: {:?}", self.child.wait()),
        }
    }

    pub(crate) fn ask(&mut self, command: &Command) -> Answer {
        self.send(command);
        self.answer()
    }

    /// [`Worker::ask`], for what must succeed.
    pub(crate) fn done(&mut self, command: &Command) -> Answer {
        match self.ask(command) {
            Answer::Failed { failure, message } => panic!("{command:?} failed ({failure:?}): {message}"),
            answer => answer,
        }
    }

    /// Kills the process and returns what it had still answered.
    pub(crate) fn kill(mut self) -> Vec<Answer> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.answers.iter().collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Without commands it ends by itself; a kill that finds it gone is as good.
        drop(self.commands.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
