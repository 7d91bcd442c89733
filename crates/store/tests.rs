use crate::{LocalStore, Store};
use lakefold_base::Code;
use std::path::PathBuf;

/// A file in the system's temporary folder that goes with its test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("lakefold-store-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_file_has_three_spellings() {
    let file = Scratch::new("spellings %20", b"0123456789");
    for location in [file.path().to_string(), format!("file:{}", file.path()), format!("file://{}", file.path())] {
        let source = LocalStore.open(&location).unwrap();
        assert_eq!((source.location(), source.len()), (location.as_str(), 10));
        assert_eq!(&source.read(2..5).unwrap()[..], b"234");
    }
}

#[test]
fn ranges_outside_the_file_are_corrupt_and_name_it() {
    let file = Scratch::new("ranges", b"0123456789");
    let source = LocalStore.open(file.path()).unwrap();
    assert_eq!(source.read(10..10).unwrap().len(), 0);
    #[allow(clippy::reversed_empty_ranges)]
    for range in [0..11, 10..11, 5..4, u64::MAX - 1..u64::MAX, 0..u64::MAX] {
        let error = source.read(range).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile);
        assert_eq!(error.context().next(), Some(("file", file.path())));
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let absent = LocalStore.open("file:///no/such/file").err().unwrap();
    assert_eq!((absent.code(), absent.context().next()), (Code::FileNotFound, Some(("file", "file:///no/such/file"))));
    let folder = LocalStore.open(std::env::temp_dir().to_str().unwrap()).err().unwrap();
    assert_eq!(folder.code(), Code::IoError);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_without_waiting_for_its_writer() {
    let pipe = Scratch(std::env::temp_dir().join(format!("lakefold-store-{}-pipe", std::process::id())));
    assert!(std::process::Command::new("mkfifo").arg(&pipe.0).status().unwrap().success());
    let error = LocalStore.open(pipe.path()).err().unwrap();
    assert_eq!((error.code(), error.context().next()), (Code::IoError, Some(("file", pipe.path()))));
}
