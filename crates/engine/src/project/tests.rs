use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::{NamedBy, Project, ProjectError, shortened};

const REMOTE: &str = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@forge.example:ann/kites.git\n";
const KITES: &str = "forge.example/ann/kites";

/// A folder that goes when the test ends, by the path that its projects have.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

/// What `git init` makes, as far as Git asks for it.
fn repository(git: &Path, config: &str) {
    for part in ["objects", "refs"] {
        fs::create_dir_all(git.join(part)).unwrap();
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(git.join("config"), config).unwrap();
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn name(folder: &Path) -> String {
    Project::of(folder).unwrap().namespace.to_string()
}

#[test]
fn a_repository_has_one_project_from_all_its_folders() {
    let (_kept, root) = folder();
    repository(&root.join("kites/.git"), REMOTE);
    fs::create_dir_all(root.join("kites/src/deep")).unwrap();
    let project = Project::of(&root.join("kites/src/deep")).unwrap();
    assert_eq!((project.namespace.as_str(), project.named_by), (KITES, NamedBy::Remote));
    assert_eq!(project.folder, root.join("kites"));
    assert_eq!(name(&root.join("kites")), KITES);
    assert_eq!(name(&root.join("kites/.git")), KITES);
    assert_eq!(name(&root.join("kites/src/../src")), KITES);
}

#[test]
fn a_folder_without_a_remote_is_its_path() {
    let (_kept, root) = folder();
    repository(&root.join("kites/.git"), "[core]\n");
    repository(&root.join("bare.git"), "");
    fs::create_dir_all(root.join("kites/src")).unwrap();
    fs::create_dir_all(root.join("plain/.git")).unwrap();
    assert_eq!(name(&root.join("kites/src")), root.join("kites").to_str().unwrap());
    assert_eq!(name(&root.join("kites/.git")), root.join("kites").to_str().unwrap());
    assert_eq!(name(&root.join("bare.git")), root.join("bare.git").to_str().unwrap());
    // An empty `.git` is no repository.
    let plain = Project::of(&root.join("plain")).unwrap();
    assert_eq!((plain.namespace.as_str(), plain.named_by), (root.join("plain").to_str().unwrap(), NamedBy::Folder));
}

#[test]
fn worktrees_share_a_project_and_submodules_have_their_own() {
    let (_kept, root) = folder();
    let git = root.join("kites/.git");
    repository(&git, REMOTE);
    write(&git.join("worktrees/green/HEAD"), "ref: refs/heads/green\n");
    write(&git.join("worktrees/green/commondir"), "../..\n");
    write(&root.join("green/.git"), &format!("gitdir: {}\n", git.join("worktrees/green").display()));
    assert_eq!(name(&root.join("green")), KITES);

    repository(&git.join("modules/tail"), "[remote \"origin\"]\n\turl = https://forge.example/ann/tail\n");
    write(&root.join("kites/tail/.git"), "gitdir: ../.git/modules/tail\n");
    assert_eq!(name(&root.join("kites/tail")), "forge.example/ann/tail");

    // Without a remote, a worktree is named by the main one and a submodule by its folder.
    fs::write(git.join("config"), "").unwrap();
    fs::write(git.join("modules/tail/config"), "").unwrap();
    assert_eq!(name(&root.join("green")), root.join("kites").to_str().unwrap());
    assert_eq!(name(&root.join("kites/tail")), root.join("kites/tail").to_str().unwrap());
}

#[test]
fn a_project_that_cannot_be_told_is_an_error_and_never_another_project() {
    let (_kept, root) = folder();
    write(&root.join("lost/.git"), "gitdir: ../gone/.git/worktrees/lost\n");
    let error = Project::of(&root.join("lost")).unwrap_err();
    assert!(matches!(error, ProjectError::BrokenLink { .. }), "{error}");
    write(&root.join("odd/.git"), "not a link\n");
    assert!(matches!(Project::of(&root.join("odd")), Err(ProjectError::BrokenLink { .. })));
    assert!(matches!(Project::of(&root.join("nowhere")), Err(ProjectError::Unreadable { .. })));
    repository(&root.join("kites/.git"), REMOTE);
    fs::remove_file(root.join("kites/.git/config")).unwrap();
    fs::create_dir(root.join("kites/.git/config")).unwrap();
    assert!(matches!(Project::of(&root.join("kites")), Err(ProjectError::Unreadable { .. })));
}

#[test]
fn names_that_a_namespace_cannot_have_are_shortened_and_stay_apart() {
    let (_kept, root) = folder();
    let long = |end: &str| root.join("a".repeat(200)).join("b".repeat(200)).join(end);
    for end in ["one", "two"] {
        fs::create_dir_all(long(end)).unwrap();
    }
    let (one, two) = (name(&long("one")), name(&long("two")));
    assert!(one != two && one.len() < 200 && one.contains("/one#"), "{one} {two}");
    assert_eq!(one, name(&long("one")));
    let twins = ["é".repeat(200), format!("x{}", "é".repeat(200))].map(|name| shortened(&name, name.as_bytes()));
    assert!(twins[0] != twins[1] && twins[0].starts_with('é'));
    assert!(shortened("a\nb", b"a\nb").starts_with("a\u{FFFD}b#"));
}

/// What a real Git writes, where one is installed.
#[test]
fn repositories_that_git_made_are_read() {
    let (_kept, root) = folder();
    let git = |folder: &Path, args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(folder).env("HOME", &root).env("GIT_CONFIG_NOSYSTEM", "1").args([
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=ann@forge.example",
            "-c",
            "protocol.file.allow=always",
        ]);
        command.args(args).output()
    };
    if git(&root, &["--version"]).is_err() {
        println!("skipped: there is no git to make repositories with");
        return;
    }
    let done = |folder: &Path, args: &[&str]| {
        let output = git(folder, args).unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    done(&root, &["init", "-q", "tail"]);
    done(&root.join("tail"), &["commit", "-q", "--allow-empty", "-m", "Begin"]);
    done(&root, &["init", "-q", "kites"]);
    let kites = root.join("kites");
    assert_eq!(name(&kites), kites.to_str().unwrap());
    done(&kites, &["submodule", "--quiet", "add", "../tail", "tail"]);
    done(&kites, &["commit", "-q", "-m", "Begin"]);
    done(&kites, &["worktree", "add", "-q", "../green"]);
    assert_eq!(name(&root.join("green")), kites.to_str().unwrap());
    done(&kites, &["remote", "add", "origin", "ssh://git@forge.example:2222/Ann/Kites.git"]);
    assert_eq!(name(&kites), KITES);
    assert_eq!(name(&root.join("green")), KITES);
    // The remote of the submodule is a folder of this machine, and so the project of that folder.
    assert_eq!(name(&kites.join("tail")), root.join("tail").to_str().unwrap());
    done(&root, &["clone", "-q", "--bare", "kites", "mirror.git"]);
    assert_eq!(name(&root.join("mirror.git")), kites.to_str().unwrap());
}

proptest::proptest! {
    #[test]
    fn any_configuration_is_read(parts in proptest::collection::vec("\\[remote \"|\\[|\\]|\"|url|=|\\\\|\n|#|;| |é|@|:|/|\\.git|[a-z]{1,3}|\\PC", 0..60)) {
        let config = parts.concat();
        if let Some(url) = super::config::remote(&config) {
            let name = super::remote::name(&url, Path::new("/not/there"));
            proptest::prop_assert!(name.is_none_or(|name| !name.is_empty()));
        }
    }

    #[test]
    fn any_url_has_one_name_or_none(url in "(https://|ssh://|file://|)([a-z]{1,3}@|)([a-zA-Z.]{1,5}|\\[::1\\])(:[0-9]{1,2}|)[:/](\\PC|/|\\.\\.|\\.git){0,8}") {
        let name = |url: &str| super::remote::name(url, Path::new("/not/there"));
        let first = name(&url);
        proptest::prop_assert_eq!(&name(&format!(" {url}\n")), &first);
        // Credentials never get into a name.
        if let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| *scheme == "https") {
            let host = rest.split('@').next_back().unwrap_or_default();
            if rest.matches('@').count() <= 1 && host == rest {
                proptest::prop_assert_eq!(name(&format!("{scheme}://me:secret@{rest}")), first);
            }
        }
    }
}
