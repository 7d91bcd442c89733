//! Threads that take over some of a task's work while its scan has fewer tasks open than workers: at the end of a read,
//! and where a table is one file, one thread would decode and the others wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// More helping threads than these are never made.
const MOST_THREADS: usize = 64;

/// Those who may work for a scan at the same time.
#[derive(Debug)]
pub struct Crew {
    places: usize,
    part_bytes: u64,
    /// Tasks that are open, and helpers at work.
    busy: AtomicUsize,
}

impl Crew {
    /// For a scan with so many workers; work is divided into parts of at least so many bytes.
    pub fn new(workers: usize, part_bytes: u64) -> Self {
        Self { places: workers, part_bytes, busy: AtomicUsize::new(0) }
    }

    /// Into how many parts to divide so many bytes of work.
    pub(crate) fn parts(&self, bytes: u64) -> usize {
        usize::try_from(bytes / self.part_bytes.max(1)).unwrap_or(usize::MAX).min(self.places).max(1)
    }

    /// Takes a place for a task, also where none is free.
    pub(crate) fn seat(self: &Arc<Self>) -> Seat {
        self.busy.fetch_add(1, Ordering::SeqCst);
        Seat(Arc::clone(self))
    }

    /// Takes a place that is free.
    fn enter(&self) -> bool {
        let free = |busy: usize| (busy < self.places).then_some(busy + 1);
        self.busy.fetch_update(Ordering::SeqCst, Ordering::SeqCst, free).is_ok()
    }

    fn leave(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
        // A helper that has looked and not found a place yet waits by now, or will see this one.
        drop(locked(&POOL.state));
        POOL.changed.notify_one();
    }

    /// Offers work to whoever has time; it begins when one has, at the latest with [`Offer::finish`].
    pub(crate) fn offer<R: Send + 'static>(self: &Arc<Self>, work: impl FnOnce() -> R + Send + 'static) -> Offer<R> {
        let job = Arc::new(Job {
            crew: Arc::clone(self),
            stage: Mutex::new(Stage::Open(Box::new(work))),
            done: Condvar::new(),
        });
        if self.places > 1 {
            POOL.add(Arc::clone(&job) as Arc<dyn Help>, self.places - 1);
        }
        Offer(job)
    }
}

/// A task's place in a crew, free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Seat(Arc<Crew>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// Work that someone else may do.
pub(crate) struct Offer<R>(Arc<Job<R>>);

struct Job<R> {
    crew: Arc<Crew>,
    stage: Mutex<Stage<R>>,
    done: Condvar,
}

type Work<R> = Box<dyn FnOnce() -> R + Send>;

enum Stage<R> {
    Open(Work<R>),
    /// Someone is at it, or had it.
    Taken,
    Done(R),
    /// It panicked.
    Lost,
}

impl<R: Send + 'static> Offer<R> {
    /// What the work gives: done here if nobody has begun it. None if it panicked elsewhere.
    pub(crate) fn finish(self) -> Option<R> {
        let job = &self.0;
        if let Some(work) = job.take() {
            POOL.remove(&(Arc::clone(job) as Arc<dyn Help>));
            return Some(work());
        }
        let mut stage = locked(&job.stage);
        loop {
            match std::mem::replace(&mut *stage, Stage::Taken) {
                Stage::Done(result) => return Some(result),
                Stage::Lost => return None,
                _ => stage = job.done.wait(stage).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl<R> Job<R> {
    fn take(&self) -> Option<Work<R>> {
        let mut stage = locked(&self.stage);
        match std::mem::replace(&mut *stage, Stage::Taken) {
            Stage::Open(work) => Some(work),
            other => {
                *stage = other;
                None
            }
        }
    }
}

/// A job without its type.
trait Help: Send + Sync {
    fn crew(&self) -> &Crew;
    fn run(&self);
}

impl<R: Send> Help for Job<R> {
    fn crew(&self) -> &Crew {
        &self.crew
    }

    fn run(&self) {
        let Some(work) = self.take() else { return };
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        *locked(&self.stage) = result.map_or(Stage::Lost, Stage::Done);
        self.done.notify_one();
    }
}

/// The helping threads of the process. They are never ended: what they allocated may outlive every scan.
struct Pool {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    jobs: VecDeque<Arc<dyn Help>>,
    threads: usize,
}

static POOL: Pool = Pool { state: Mutex::new(State { jobs: VecDeque::new(), threads: 0 }), changed: Condvar::new() };

/// Nothing that panics runs under these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn add(&'static self, job: Arc<dyn Help>, threads: usize) {
        let mut state = locked(&self.state);
        state.jobs.push_back(job);
        if state.threads < threads.min(MOST_THREADS) {
            let helper = std::thread::Builder::new().name("lakefold-helper".to_string());
            // Without a thread to help, whoever offers does all himself.
            if helper.spawn(|| self.help()).is_ok() {
                state.threads += 1;
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    fn remove(&self, job: &Arc<dyn Help>) {
        locked(&self.state).jobs.retain(|other| !Arc::ptr_eq(other, job));
    }

    fn help(&self) {
        let mut state = locked(&self.state);
        loop {
            let place = state.jobs.iter().position(|job| job.crew().enter());
            match place.and_then(|at| state.jobs.remove(at)) {
                Some(job) => {
                    drop(state);
                    job.run();
                    job.crew().leave();
                    drop(job);
                    state = locked(&self.state);
                }
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread::current;

    #[test]
    fn a_lone_task_is_helped_and_one_among_many_is_not() {
        let crew = Arc::new(Crew::new(2, 1));
        let seat = crew.seat();
        let (begun, begins) = channel();
        let offer = crew.offer(move || {
            begun.send(()).unwrap();
            current().id()
        });
        begins.recv().unwrap();
        assert_ne!(offer.finish(), Some(current().id()));

        let other = crew.seat();
        for _ in 0..100 {
            assert_eq!(crew.offer(|| current().id()).finish(), Some(current().id()));
        }
        // When the other is done, what was offered before finds its helper.
        let (begun, begins) = channel();
        let offer = crew.offer(move || {
            begun.send(()).unwrap();
            current().id()
        });
        drop(other);
        begins.recv().unwrap();
        assert_ne!(offer.finish(), Some(current().id()));
        drop(seat);
        assert_eq!(crew.busy.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn one_worker_works_alone() {
        let crew = Arc::new(Crew::new(1, 1));
        for _ in 0..100 {
            assert_eq!(crew.offer(|| current().id()).finish(), Some(current().id()));
        }
    }

    #[test]
    fn many_offers_of_many_crews_all_end() {
        let workers: Vec<_> = (0..8_usize)
            .map(|worker| {
                std::thread::spawn(move || {
                    let crew = Arc::new(Crew::new(1 + worker % 4, 1));
                    let mut sum = 0;
                    for round in 0..500_usize {
                        let seat = crew.seat();
                        let offers: Vec<_> = (0..3).map(|part| crew.offer(move || round + part)).collect();
                        sum += offers.into_iter().map(|offer| offer.finish().unwrap()).sum::<usize>();
                        drop(seat);
                    }
                    sum
                })
            })
            .collect();
        for worker in workers {
            assert_eq!(worker.join().unwrap(), (0..500).map(|round| 3 * round + 3).sum::<usize>());
        }
        assert!(locked(&POOL.state).jobs.is_empty());
    }

    #[test]
    fn a_panic_elsewhere_is_told() {
        let crew = Arc::new(Crew::new(2, 1));
        let (begun, begins) = channel();
        let offer = crew.offer(move || {
            begun.send(()).unwrap();
            panic!("on purpose")
        });
        begins.recv().unwrap();
        assert_eq!(offer.finish(), None::<()>);
    }
}
