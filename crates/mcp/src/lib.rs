//! A server for the Model Context Protocol: five tools with which an agent searches and keeps the memories of one
//! namespace, over standard input and output or over HTTP.
//!
//! The namespace is the server's; no call names another. A server serves the revision 2026-07-28, in which every request
//! stands by itself, and clients that begin with `initialize`. This crate writes to standard output only what the
//! protocol says, and logs nothing.
#![forbid(unsafe_code)]

mod arguments;
mod body;
mod calls;
pub mod clients;
mod cursor;
mod failure;
mod handler;
mod http;
mod instructions;
mod message;
mod order;
mod params;
mod stdio;
mod stop;
mod text;
mod times;
mod tools;

use std::{io, net::SocketAddr};

pub use http::{HttpSettings, PATH, serve_http};
pub use params::json_kind;
pub use stdio::serve_stdio;
pub use tools::{Rerank, Toolbox};

/// A server could not begin, or its client did not keep to the protocol.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The machine has no threads or no timers left.
    #[error("the server could not be started")]
    Start(#[source] io::Error),
    /// The address is taken, or not one of this machine.
    #[error("address {address}: could not be listened on; name another, or port 0 for any that is free")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The address can be reached from other machines, and nothing keeps strangers away.
    #[error(
        "address {address} can be reached from other machines: set a key that clients send, and name the hosts that they may \
         call this server by"
    )]
    Exposed {
        /// The address.
        address: SocketAddr,
    },
    /// The client did not begin as the protocol says.
    #[error(
        "the client began with a message that is no request; expected initialize, server/discover or any other request"
    )]
    NoRequest,
    /// The connection failed before the first request was answered.
    #[error("the connection to the client failed")]
    Connection,
}
