use crate::account::Account;
use arrow_array::{Array, ArrayRef};
use arrow_data::ArrayData;
use std::collections::HashMap;
use std::sync::Arc;

/// The values that batches share, each under one id for as long as a batch may come that names it.
#[derive(Default)]
pub(crate) struct Dictionaries {
    /// The last id that was given.
    last: u64,
    entries: HashMap<u64, Entry>,
    /// Ids by account and by where the values lie, which no others can while an entry holds them.
    places: HashMap<Place, u64>,
    /// Those without uses, while the decoder may still make batches of them.
    idle: Vec<u64>,
    /// Ids that no batch will name again, by account, until someone asks.
    retired: HashMap<usize, Vec<u64>>,
}

struct Entry {
    values: ArrayRef,
    account: Arc<Account>,
    place: Place,
    /// Batches that name it and are not settled.
    uses: usize,
}

type Place = (usize, usize, usize);

fn account_id(account: &Arc<Account>) -> usize {
    Arc::as_ptr(account) as usize
}

/// The account, the first byte of the values and their number.
fn place(values: &ArrayRef, account: &Arc<Account>) -> Place {
    let first = values.to_data().buffers().first().map_or(0, |buffer| buffer.as_ptr() as usize);
    (account_id(account), first, values.len())
}

impl Entry {
    /// Whether someone else has the values, as this array or as another over the same memory.
    fn is_held(&self) -> bool {
        // The data made here is the second holder.
        let shares = |data: &ArrayData| data.buffers().first().is_some_and(|buffer| buffer.strong_count() > 2);
        Arc::strong_count(&self.values) > 1 || shares(&self.values.to_data())
    }
}

impl Dictionaries {
    /// The id of a batch's values, used once more.
    pub(crate) fn used(&mut self, values: &ArrayRef, account: &Arc<Account>) -> u64 {
        let place = place(values, account);
        // Without memory of their own, values can't be told by where they lie.
        let known = self.places.get(&place).copied().filter(|_| place.1 != 0);
        let id = known.unwrap_or_else(|| {
            self.last += 1;
            let entry = Entry { values: Arc::clone(values), account: Arc::clone(account), place, uses: 0 };
            self.entries.insert(self.last, entry);
            self.places.insert(place, self.last);
            self.last
        });
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.uses += 1;
        }
        id
    }

    /// The values of an id, and whose they are.
    pub(crate) fn get(&self, id: u64) -> Option<(ArrayRef, Arc<Account>)> {
        self.entries.get(&id).map(|entry| (Arc::clone(&entry.values), Arc::clone(&entry.account)))
    }

    /// Ends one use of each id, and frees what nobody will name again.
    pub(crate) fn settle(&mut self, ids: &[u64]) {
        for id in ids {
            let Some(entry) = self.entries.get_mut(id) else { continue };
            entry.uses = entry.uses.saturating_sub(1);
            if entry.uses == 0 {
                self.idle.push(*id);
            }
        }
        let idle = std::mem::take(&mut self.idle);
        for id in idle {
            match self.entries.get(&id) {
                Some(entry) if entry.uses == 0 && !entry.is_held() => self.retire(id),
                // In use again, it comes back when it is settled.
                Some(entry) if entry.uses == 0 && !self.idle.contains(&id) => self.idle.push(id),
                _ => {}
            }
        }
    }

    fn retire(&mut self, id: u64) {
        let Some(entry) = self.entries.remove(&id) else { return };
        self.places.remove(&entry.place);
        self.retired.entry(account_id(&entry.account)).or_default().push(id);
    }

    /// The ids of an account that were retired since the last call.
    pub(crate) fn take_retired(&mut self, account: &Arc<Account>) -> Vec<u64> {
        self.retired.remove(&account_id(account)).unwrap_or_default()
    }

    /// Forgets all of an account.
    pub(crate) fn close(&mut self, account: &Arc<Account>) {
        let theirs: Vec<u64> =
            self.entries.iter().filter(|(_, e)| Arc::ptr_eq(&e.account, account)).map(|(id, _)| *id).collect();
        for id in theirs {
            self.retire(id);
        }
        self.idle.retain(|id| self.entries.contains_key(id));
        self.retired.remove(&account_id(account));
    }
}
