//! One name for all forms of the URL of a Git remote.

use std::path::{Component, Path, PathBuf};

/// The name of a remote: `host/path` in lower case, without scheme, user, port and `.git`; of a remote that is a folder of
/// this machine, its path. `None` where the URL names nothing.
///
/// User names and passwords are no part of it. Ports are none either, since that of `ssh` is not that of `https`. A
/// relative path is one from `folder`.
pub(super) fn name(url: &str, folder: &Path) -> Option<String> {
    let url = url.trim();
    if let Some((scheme, rest)) = url.split_once("://") {
        let (authority, path) = rest.split_once(['/', '\\']).unwrap_or((rest, ""));
        // `file:///srv/repository`, and with a helper before it, as in `codecommit::https://host/path`.
        return match scheme.eq_ignore_ascii_case("file") {
            true => local(&format!("/{path}"), folder),
            false => at_host(host(authority), path),
        };
    }
    match scp(url) {
        Some((authority, path)) => at_host(host(authority), path),
        None => local(url, folder),
    }
}

/// User and host, and path, of `user@host:path`; a path with a slash before its colon is one of this machine, and so is
/// one that begins with the letter of a drive.
fn scp(url: &str) -> Option<(&str, &str)> {
    // The address of a host in brackets has colons of its own.
    let from = url.find('[').and_then(|open| url[open..].find(']').map(|close| open + close)).unwrap_or(0);
    let colon = from + url[from..].find(':')?;
    let (authority, path) = (&url[..colon], &url[colon + 1..]);
    let is_drive = authority.len() == 1 && authority.chars().all(|c| c.is_ascii_alphabetic());
    (!is_drive && !authority.is_empty() && !authority.contains(['/', '\\'])).then_some((authority, path))
}

/// The host of `user:password@host:port`.
fn host(authority: &str) -> &str {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(address) => address.split_once(']').map_or(address, |(address, _)| address),
        None => host.split_once(':').map_or(host, |(host, _)| host),
    }
}

fn at_host(host: &str, path: &str) -> Option<String> {
    let host = host.to_lowercase();
    // Hosts have other names where their `ssh` answers on the port of `https`.
    let host = ["ssh.", "altssh."].iter().find_map(|prefix| host.strip_prefix(prefix)).unwrap_or(&host);
    let path = path.to_lowercase();
    let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "~");
    let parts: Vec<&str> = match host {
        // `v3/organisation/project/repository` by `ssh`, `organisation/project/_git/repository` by `https`.
        "dev.azure.com" => parts.filter(|part| !matches!(*part, "v3" | "_git")).collect(),
        _ => parts.collect(),
    };
    let path = parts.join("/");
    let path = path.strip_suffix(".git").unwrap_or(&path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

fn local(path: &str, folder: &Path) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let path = folder.join(path);
    let path = path.canonicalize().unwrap_or_else(|_| without_dots(&path));
    // A repository that is checked out is its folder.
    let path = if path.ends_with(".git") { path.parent().unwrap_or(&path) } else { &path };
    let path = path.to_string_lossy();
    let path = path.strip_prefix(r"\\?\").unwrap_or(&path);
    Some(path.strip_suffix(".git").unwrap_or(path).to_owned())
}

/// A path that is not there, without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::name;

    fn named(url: &str) -> Option<String> {
        name(url, Path::new("/not/there"))
    }

    #[test]
    fn forms_of_one_remote_have_one_name() {
        for url in [
            "https://forge.example/Ann/Kites.git",
            "https://forge.example/ann/kites",
            "http://forge.example/ann/kites/",
            "https://ann:secret@forge.example:8443/ann/kites.git",
            "git@forge.example:ann/kites.git",
            "forge.example:ann/kites",
            "git@Forge.Example:/ann/kites.git/",
            "ssh://git@forge.example/ann/kites.git",
            "ssh://git@forge.example:2222/ann/kites",
            "git+ssh://git@ssh.forge.example:443/ann/kites.git",
            "git://forge.example/ann/kites.git",
        ] {
            assert_eq!(named(url).as_deref(), Some("forge.example/ann/kites"), "{url}");
        }
        let azure = Some("dev.azure.com/o/p/r");
        assert_eq!(named("git@ssh.dev.azure.com:v3/o/p/r").as_deref(), azure);
        assert_eq!(named("https://o@dev.azure.com/o/p/_git/r").as_deref(), azure);
        assert_eq!(named("ssh://git@[2001:db8::1]:22/a/b.git").as_deref(), Some("2001:db8::1/a/b"));
        assert_eq!(named("git@[2001:db8::1]:a/b").as_deref(), Some("2001:db8::1/a/b"));
    }

    #[test]
    fn other_remotes_have_other_names() {
        let names = ["https://a/x/y", "https://b/x/y", "https://a/x/z", "https://a/y", "/a/x/y", "x/y"].map(named);
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }

    #[test]
    fn a_folder_is_its_path() {
        assert_eq!(named("../kites.git").as_deref(), Some("/not/kites"));
        assert_eq!(named("./kites/.git").as_deref(), Some("/not/there/kites"));
        assert_eq!(named("file:///srv/kites.git").as_deref(), Some("/srv/kites"));
        assert_eq!(named("./a:b").as_deref(), Some("/not/there/a:b"));
        for nothing in ["", "  ", "https://", "https://host", "git@host:", "ssh://host/.git/"] {
            assert_eq!(named(nothing), None, "{nothing}");
        }
    }
}
