//! `aforesaid mcp`, driven as its clients drive it: by messages on its standard input, or by HTTP requests.

mod client;
mod ending;
mod http;
mod lifecycle;
mod malformed;
mod order;
mod project;
mod tools;
