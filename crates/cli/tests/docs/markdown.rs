//! Fenced blocks and code spans of a Markdown document.

/// A document, taken apart.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) blocks: Vec<Block>,
    /// The text outside its blocks; a line of a block is an empty line.
    pub(crate) prose: String,
}

/// A fenced block.
pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// The name of the file that it is, for the commands of the document.
    pub(crate) file: Option<String>,
    pub(crate) text: String,
    /// The line of its first fence, from 1.
    pub(crate) line: usize,
}

/// What a block is, by its info string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `sh`: commands, run in order; each must succeed.
    Commands,
    /// `console`: commands after `$ `, and what they print; `...` stands for anything.
    Session,
    /// `sh not-run="why"`, `console not-run="why"`: needs what a test does not have. `pending="why"`: documented before it
    /// is there.
    NotRun,
    /// `toml`: a configuration file.
    Configuration,
    /// `text pipeline`: a pipeline, over several lines.
    Pipeline,
    /// `text pipeline=NAME`: what the preset of this name prints as.
    Preset,
    /// `rust`: compiled as a doc test.
    Rust,
    /// `json`, `jsonl`, `text`: data; with `file=NAME` a file that commands find.
    Data,
}

impl Document {
    /// Reads a document; or says in which line what is wrong.
    pub(crate) fn read(name: &str, text: &str) -> Result<Self, String> {
        let (mut blocks, mut prose, mut open) = (Vec::new(), String::new(), None::<Block>);
        for (at, line) in text.lines().enumerate() {
            match (line.trim_start().strip_prefix("```"), &mut open) {
                (Some(info), None) => open = Some(Block::new(info.trim(), at + 1)?),
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => block.text += &format!("{line}\n"),
                (None, None) if line.matches('`').count() % 2 == 1 => {
                    return Err(format!("line {}: a code span does not end on its line", at + 1));
                }
                (None, None) => prose += line,
            }
            prose += "\n";
        }
        match open {
            Some(block) => Err(format!("line {}: the block does not end", block.line)),
            None => Ok(Self { name: name.to_owned(), blocks, prose }),
        }
    }

    /// The code spans outside blocks, each with its line.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (usize, &str)> {
        self.prose
            .lines()
            .enumerate()
            .flat_map(|(at, line)| line.split('`').skip(1).step_by(2).map(move |span| (at + 1, span)))
    }
}

impl Block {
    fn new(info: &str, line: usize) -> Result<Self, String> {
        let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
        let rest = rest.trim();
        let block = |kind| Ok(Self { kind, file: None, text: String::new(), line });
        match (language, rest.split_once('=').unwrap_or((rest, ""))) {
            ("sh", ("", "")) => block(Kind::Commands),
            ("console", ("", "")) => block(Kind::Session),
            ("sh" | "console", ("not-run" | "pending", reason)) if reason.trim_matches('"').len() > 5 => {
                block(Kind::NotRun)
            }
            ("toml", ("", "")) => block(Kind::Configuration),
            ("text", ("pipeline", "")) => block(Kind::Pipeline),
            ("text", ("pipeline", name)) => Ok(Self { file: Some(name.to_owned()), ..block(Kind::Preset)? }),
            ("rust", ("", "")) => block(Kind::Rust),
            ("json" | "jsonl" | "text", ("", "")) => block(Kind::Data),
            ("json" | "jsonl" | "text", ("file", name)) if !name.is_empty() => {
                Ok(Self { file: Some(name.to_owned()), ..block(Kind::Data)? })
            }
            _ => Err(format!(
                "line {line}: a block begins with ```{info}; expected sh, console, toml, rust, json, jsonl or text, with \
                 not-run=\"why\" (sh, console), file=NAME (json, jsonl, text) or pipeline (text) where it applies"
            )),
        }
    }
}
