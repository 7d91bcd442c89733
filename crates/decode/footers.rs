use lakefold_base::Result;
use lakefold_store::Source;
use std::sync::Arc;

use crate::footer::{self, Footer};
use crate::once_map::OnceMap;

/// Files that are read in several ranges at a time are few, and so are those that are looked at before they are read.
pub(crate) const MOST: usize = 32;

/// The footers of the files that a scan looked at last, of those that it looks at more than once: by location and size.
pub struct Footers(OnceMap<(String, u64), Arc<Footer>>);

impl Default for Footers {
    fn default() -> Self {
        Footers(OnceMap::keeping(MOST))
    }
}

impl Footers {
    /// A file's footer; `again` tells whether it may be looked at again.
    pub(crate) fn read(&self, source: &dyn Source, again: bool) -> Result<Arc<Footer>> {
        let read = || footer::read(source).map(Arc::new);
        let key = (source.location().to_string(), source.len());
        match again {
            true => self.0.get_or_load(key, read),
            false => self.0.get(&key).map_or_else(read, Ok),
        }
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
        let alone = footers.read(source.as_ref(), false).unwrap();
        let first = footers.read(source.as_ref(), true).unwrap();
        assert!(!Arc::ptr_eq(&first, &alone));
        assert!(Arc::ptr_eq(&first, &footers.read(source.as_ref(), true).unwrap()));
        assert!(Arc::ptr_eq(&first, &footers.read(source.as_ref(), false).unwrap()));
    }
}
