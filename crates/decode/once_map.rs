use lakefold_base::Result;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// A map whose values are made once each, also when several threads ask at the same time: the others wait.
/// After a failure the next one tries again.
pub(crate) struct OnceMap<K, V> {
    slots: Mutex<HashMap<K, Arc<Mutex<Option<V>>>>>,
}

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        OnceMap { slots: Mutex::new(HashMap::new()) }
    }
}

impl<K: Eq + Hash, V: Clone> OnceMap<K, V> {
    /// The value of the key; `load` makes it if it is the first call.
    pub(crate) fn get_or_load(&self, key: K, load: impl FnOnce() -> Result<V>) -> Result<V> {
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let mut value = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = value.as_ref() {
            return Ok(value.clone());
        }
        let loaded = load()?;
        *value = Some(loaded.clone());
        Ok(loaded)
    }
}
