use lakefold_base::Result;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// A map whose values are made once each, also when several threads ask at the same time: the others wait.
/// After a failure the next one tries again.
pub(crate) struct OnceMap<K, V> {
    slots: Mutex<Slots<K, V>>,
    /// More keys than this are not kept.
    most: usize,
}

struct Slots<K, V> {
    by_key: HashMap<K, Arc<Mutex<Option<V>>>>,
    /// Keys, the oldest first; only where there may be too many.
    order: VecDeque<K>,
}

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        OnceMap::keeping(usize::MAX)
    }
}

impl<K, V> OnceMap<K, V> {
    /// A map that forgets the oldest of more than `most` keys.
    pub(crate) fn keeping(most: usize) -> Self {
        OnceMap { slots: Mutex::new(Slots { by_key: HashMap::new(), order: VecDeque::new() }), most }
    }
}

impl<K: Eq + Hash + Clone, V: Clone> OnceMap<K, V> {
    /// The value of the key; `load` makes it if it is the first call.
    pub(crate) fn get_or_load(&self, key: K, load: impl FnOnce() -> Result<V>) -> Result<V> {
        let slot = self.slot(key);
        let mut value = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = value.as_ref() {
            return Ok(value.clone());
        }
        let loaded = load()?;
        *value = Some(loaded.clone());
        Ok(loaded)
    }

    /// The value of the key, if it was made and is kept.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).by_key.get(key).map(Arc::clone)?;
        slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn slot(&self, key: K) -> Arc<Mutex<Option<V>>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.by_key.get(&key) {
            return Arc::clone(slot);
        }
        if self.most < usize::MAX {
            slots.order.push_back(key.clone());
        }
        let slot = Arc::clone(slots.by_key.entry(key).or_default());
        // Who waits for a value that is forgotten has its slot.
        while slots.by_key.len() > self.most {
            let Some(oldest) = slots.order.pop_front() else { break };
            slots.by_key.remove(&oldest);
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lakefold_base::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_value_is_made_once_while_others_wait() {
        let (map, made) = (OnceMap::keeping(2), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    map.get_or_load("a", || {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok(made.fetch_add(1, Ordering::SeqCst))
                    })
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn the_oldest_of_too_many_is_forgotten_and_a_failure_is_tried_again() {
        let map = OnceMap::keeping(2);
        assert!(map.get_or_load(1, || Err::<i32, _>(Error::corrupt("no"))).is_err());
        assert_eq!(map.get(&1), None);
        for key in [1, 2, 3] {
            assert_eq!(map.get_or_load(key, || Ok(key)).unwrap(), key);
        }
        assert_eq!(map.get_or_load(3, || Ok(0)).unwrap(), 3);
        assert_eq!((map.get(&3), map.get(&1)), (Some(3), None));
        assert_eq!(map.get_or_load(1, || Ok(0)).unwrap(), 0);
    }
}
