use lakefold_base::Result;
use lakefold_store::Source;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::footer::{self, Footer};

/// Files that are read in several ranges at a time are few.
const MOST: usize = 16;

/// The footers of the files that a scan read last, for those that it reads in several ranges.
#[derive(Default)]
pub struct Footers(Mutex<VecDeque<Known>>);

struct Known {
    location: String,
    size: u64,
    footer: Arc<Footer>,
}

impl Footers {
    /// A file's footer; `ranged` tells whether there may be other ranges of that file to come.
    pub(crate) fn read(&self, source: &dyn Source, ranged: bool) -> Result<Arc<Footer>> {
        if !ranged {
            return footer::read(source).map(Arc::new);
        }
        if let Some(footer) = self.find(source) {
            return Ok(footer);
        }
        let footer = Arc::new(footer::read(source)?);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.truncate(MOST - 1);
        let location = source.location().to_string();
        known.push_front(Known { location, size: source.len(), footer: Arc::clone(&footer) });
        Ok(footer)
    }

    fn find(&self, source: &dyn Source) -> Option<Arc<Footer>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |k: &&Known| k.location == source.location() && k.size == source.len();
        known.iter().find(same).map(|k| Arc::clone(&k.footer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lakefold_store::{LocalStore, Store};

    #[test]
    fn a_footer_is_parsed_once_for_all_ranges_of_its_file() {
        let data = crate::cases::root().join("tables/dv_v3_large/data");
        let file = std::fs::read_dir(data)
            .unwrap()
            .map(|e| e.unwrap().path())
            .find(|p| p.extension().is_some_and(|e| e == "parquet"))
            .unwrap();
        let source = LocalStore.open(file.to_str().unwrap()).unwrap();
        let footers = Footers::default();
        let first = footers.read(source.as_ref(), true).unwrap();
        assert!(Arc::ptr_eq(&first, &footers.read(source.as_ref(), true).unwrap()));
        assert!(!Arc::ptr_eq(&first, &footers.read(source.as_ref(), false).unwrap()));
    }
}
