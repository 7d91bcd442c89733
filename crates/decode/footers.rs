use lakefold_base::Result;
use lakefold_store::Source;
use std::sync::Arc;

use crate::footer::{self, Footer};
use crate::once_map::OnceMap;

/// Files that are read in several ranges at a time are few.
const MOST: usize = 16;

/// The footers of the files that a scan read last, for those that it reads in several ranges: by location and size.
pub struct Footers(OnceMap<(String, u64), Arc<Footer>>);

impl Default for Footers {
    fn default() -> Self {
        Footers(OnceMap::keeping(MOST))
    }
}

impl Footers {
    /// A file's footer; `ranged` tells whether there may be other ranges of that file to come.
    pub(crate) fn read(&self, source: &dyn Source, ranged: bool) -> Result<Arc<Footer>> {
        let read = || footer::read(source).map(Arc::new);
        match ranged {
            true => self.0.get_or_load((source.location().to_string(), source.len()), read),
            false => read(),
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
        let first = footers.read(source.as_ref(), true).unwrap();
        assert!(Arc::ptr_eq(&first, &footers.read(source.as_ref(), true).unwrap()));
        assert!(!Arc::ptr_eq(&first, &footers.read(source.as_ref(), false).unwrap()));
    }
}
