use std::collections::BTreeMap;
use std::fmt;

/// What went wrong, with the same names as the `code` of the JavaScript `LakefoldError`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A file is not there.
    FileNotFound,
    /// A file's bytes contradict its format.
    CorruptFile,
    /// The file or request is legal, but needs something that this library does not do.
    Unsupported,
    /// The caller gave up.
    Cancelled,
    /// A stated limit would be passed.
    LimitExceeded,
    /// The store refused access.
    AccessDenied,
    /// Another failure of the store.
    IoError,
    /// An argument is out of range or of the wrong form.
    InvalidArgument,
    /// A fault of this library.
    Internal,
}

impl Code {
    /// The code as JavaScript spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::FileNotFound => "FILE_NOT_FOUND",
            Code::CorruptFile => "CORRUPT_FILE",
            Code::Unsupported => "UNSUPPORTED",
            Code::Cancelled => "CANCELLED",
            Code::LimitExceeded => "LIMIT_EXCEEDED",
            Code::AccessDenied => "ACCESS_DENIED",
            Code::IoError => "IO_ERROR",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::Internal => "INTERNAL",
        }
    }
}

/// A typed error that names the file, the field and the value at fault in its context.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: Code,
    message: String,
    context: BTreeMap<&'static str, String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a code and a message for people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error(Box::new(Inner { code, message: message.into(), context: BTreeMap::new(), source: None }))
    }

    /// `CorruptFile`, the most common of all.
    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(Code::CorruptFile, message)
    }

    /// `Unsupported`.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::Unsupported, message)
    }

    /// `Internal`.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// `Cancelled`.
    pub fn cancelled() -> Self {
        Self::new(Code::Cancelled, "the read was cancelled")
    }

    /// Adds a named fact; one that is already there stays, so the innermost caller names the file.
    pub fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        self.0.context.entry(key).or_insert_with(|| value.to_string());
        self
    }

    /// Names the file at fault, unless one is named already.
    pub fn in_file(self, path: impl fmt::Display) -> Self {
        self.with("file", path)
    }

    /// Keeps the error that caused this one.
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The message without the context.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The named facts.
    pub fn context(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.context.iter().map(|(k, v)| (*k, v.as_str()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        for (key, value) in &self.0.context {
            write!(f, "; {key}: {value}")?;
        }
        if let Some(source) = &self.0.source {
            write!(f, " ({source})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|e| e as &(dyn std::error::Error + 'static))
    }
}
