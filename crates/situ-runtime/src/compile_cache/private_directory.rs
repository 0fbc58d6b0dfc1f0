//! A directory that only this user and root can change, reached through a handle.
//!
//! The compile cache holds machine code, so whoever can change a file in it, or swap one of the
//! directories on the way to it, runs code as this user. [`PrivateDirectory::open`] therefore walks
//! the path from the root, one component at a time, and examines each one *after* it has opened it.
//! Every later access starts from the handle it ends with, never from a path: renaming, replacing or
//! relinking anything on the way has no effect any more.
//!
//! This file decides who is trusted. It knows nothing about entries and their format.

use std::ffi::{OsStr, OsString};
use std::fs::{File, FileType, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, Mode, OFlags, mkdirat, openat, readlinkat, renameat, unlinkat,
};
use rustix::io::Errno;

use crate::warnings::{AccessProblem, CacheProblem};

/// As many symbolic links on the way as Linux follows.
const MOST_LINKS: usize = 40;

/// Permissions that let the group or others write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Only the owner of a file in a directory with this permission may rename or remove it.
const STICKY: u32 = 0o1000;

/// A handle on a directory that passed every check.
#[derive(Debug)]
pub(super) struct PrivateDirectory {
    handle: OwnedFd,
}

/// What a directory is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To look at what is there; nothing is created.
    Look,
    /// To keep something: missing directories are created, private to this user.
    Use,
}

impl PrivateDirectory {
    /// Opens the directory at an absolute path; `None` if it is missing and not to be created.
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Option<Self>, CacheProblem> {
        let mut walk = Walk::start()?;
        let mut names = Vec::new();
        push_components(&mut names, path);
        let mut links_followed = 0;
        while let Some(name) = names.pop() {
            let child = match walk.child(&name) {
                Err(Errno::NOENT) if purpose == Purpose::Look => return Ok(None),
                Err(Errno::NOENT) => walk.create(&name)?,
                found => found.map_err(failed("open"))?,
            };
            let metadata = child.metadata().map_err(failed("examine"))?;
            let location = walk.location_of(&name);
            if metadata.is_symlink() {
                links_followed += 1;
                if links_followed > MOST_LINKS {
                    return Err(failed("open")(Errno::LOOP));
                }
                check_owner(&metadata).map_err(untrusted(&location))?;
                let target = readlinkat(&child, "", Vec::new()).map_err(failed("examine"))?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    walk = Walk::start()?;
                }
                push_components(&mut names, &target);
                continue;
            }
            let others = if names.is_empty() {
                Others::MayNotWrite
            } else {
                Others::MayAdd
            };
            check_directory(&metadata, others).map_err(untrusted(&location))?;
            walk.descend(child, location);
        }
        Ok(Some(Self {
            handle: walk.at.into(),
        }))
    }

    /// Opens a file for reading and says why it is not to be trusted, if it is not. `None` if it
    /// cannot be opened. What is checked is what is read: a later replacement is another file.
    pub(super) fn read(&self, name: &OsStr) -> Option<(File, Metadata, Result<(), AccessProblem>)> {
        // Without NONBLOCK, opening a FIFO would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = openat(&self.handle, name, flags | OFlags::CLOEXEC, Mode::empty());
        // Links and sockets cannot be opened so; a handle without access is enough to name them.
        let file = match opened {
            Err(Errno::LOOP | Errno::NXIO) => open_path(&self.handle, name, OFlags::empty()),
            other => other.map(File::from),
        };
        let file = file.ok()?;
        let metadata = file.metadata().ok()?;
        let verdict = check_file(&metadata);
        Some((file, metadata, verdict))
    }

    /// Creates a new file for writing.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(openat(&self.handle, name, flags | OFlags::CLOEXEC, mode)?.into())
    }

    /// Puts a file in the place of another one, at once.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Removes a file, or a link, but not what it points to.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Everything in the directory. What cannot be examined is left out.
    pub(super) fn list(&self) -> Vec<(OsString, Metadata)> {
        // The handle gives no access to the content, only to what is named relative to it.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable = openat(&self.handle, ".", flags, Mode::empty());
        let Ok(listing) = readable.and_then(Dir::new) else {
            return Vec::new();
        };
        let examine = |item: rustix::fs::DirEntry| {
            let name = OsStr::from_bytes(item.file_name().to_bytes()).to_owned();
            let file = open_path(&self.handle, &name, OFlags::empty()).ok()?;
            Some((name, file.metadata().ok()?))
        };
        listing.flatten().filter_map(examine).collect()
    }
}

/// The way from the root to the directory.
struct Walk {
    at: File,
    location: PathBuf,
}

impl Walk {
    fn start() -> Result<Self, CacheProblem> {
        let location = PathBuf::from("/");
        let at = open_path(CWD, location.as_os_str(), OFlags::DIRECTORY).map_err(failed("open"))?;
        let metadata = at.metadata().map_err(failed("examine"))?;
        check_directory(&metadata, Others::MayAdd).map_err(untrusted(&location))?;
        Ok(Self { at, location })
    }

    /// A handle on a component, which may be a link or no directory at all.
    fn child(&self, name: &OsStr) -> rustix::io::Result<File> {
        // DIRECTORY makes the automounter mount it; without it, links and files can be opened.
        match open_path(&self.at, name, OFlags::DIRECTORY) {
            Err(Errno::NOTDIR) => open_path(&self.at, name, OFlags::empty()),
            found => found,
        }
    }

    fn create(&self, name: &OsStr) -> Result<File, CacheProblem> {
        match mkdirat(&self.at, name, Mode::RWXU) {
            // Somebody was quicker. Who that was is seen when it is examined.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => {
                return Err(CacheProblem::Io {
                    action: format!("create `{}`", self.location_of(name).display()),
                    message: io::Error::from(error).to_string(),
                });
            }
        }
        self.child(name).map_err(failed("open"))
    }

    fn location_of(&self, name: &OsStr) -> PathBuf {
        if name == ".." {
            // Links have been resolved, so this is where `..` leads.
            return self.location.parent().unwrap_or(&self.location).to_owned();
        }
        self.location.join(name)
    }

    fn descend(&mut self, child: File, location: PathBuf) {
        self.at = child;
        self.location = location;
    }
}

/// What others may do in a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    MayNotWrite,
    /// Add files, as in `/tmp`: they cannot touch what is there, and its owner is checked next.
    MayAdd,
}

fn check_directory(metadata: &Metadata, others: Others) -> Result<(), AccessProblem> {
    if !metadata.is_dir() {
        return Err(AccessProblem::NotADirectory);
    }
    check_owner(metadata)?;
    if others == Others::MayAdd && metadata.mode() & STICKY != 0 {
        return Ok(());
    }
    check_mode(metadata)
}

/// Whether a file is one that only this user or root can have written.
pub(super) fn check_file(metadata: &Metadata) -> Result<(), AccessProblem> {
    if !metadata.is_file() {
        return Err(AccessProblem::NotAFile {
            kind: kind_of(metadata.file_type()),
        });
    }
    check_owner(metadata)?;
    check_mode(metadata)?;
    // The cache makes one name for each file. Another name may be in a place that is not private.
    match metadata.nlink() {
        0 | 1 => Ok(()),
        links => Err(AccessProblem::SeveralLinks { links }),
    }
}

fn check_owner(metadata: &Metadata) -> Result<(), AccessProblem> {
    let user = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    if owner == user || owner == 0 {
        return Ok(());
    }
    Err(AccessProblem::OwnedByAnotherUser { owner, user })
}

/// An access control list that lets others write shows in the bits of the group as well.
fn check_mode(metadata: &Metadata) -> Result<(), AccessProblem> {
    let mode = metadata.mode() & 0o7777;
    if mode & WRITABLE_BY_OTHERS == 0 {
        return Ok(());
    }
    Err(AccessProblem::WritableByOthers { mode })
}

fn kind_of(file_type: FileType) -> &'static str {
    if file_type.is_symlink() {
        "symbolic link"
    } else if file_type.is_dir() {
        "directory"
    } else if file_type.is_fifo() {
        "FIFO"
    } else if file_type.is_socket() {
        "socket"
    } else {
        "device"
    }
}

fn open_path(
    directory: impl std::os::fd::AsFd,
    name: &OsStr,
    more: OFlags,
) -> rustix::io::Result<File> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC | more;
    Ok(openat(directory, name, flags, Mode::empty())?.into())
}

/// Adds the components of a path, the first one on top.
fn push_components(names: &mut Vec<OsString>, path: &Path) {
    let components = path
        .components()
        .rev()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        });
    names.extend(components);
}

fn untrusted(path: &Path) -> impl FnOnce(AccessProblem) -> CacheProblem {
    let path = path.to_owned();
    move |reason| CacheProblem::Untrusted { path, reason }
}

fn failed<E: Into<io::Error>>(action: &'static str) -> impl FnOnce(E) -> CacheProblem {
    move |error| CacheProblem::Io {
        action: format!("{action} it"),
        message: error.into().to_string(),
    }
}
