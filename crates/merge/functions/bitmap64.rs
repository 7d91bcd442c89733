//! 64-bit Roaring bitmaps as Java's `Roaring64Bitmap` writes them: a radix tree of the high 48 bits of the values, whose
//! leaves name containers of the low 16 bits. This is not the portable format.

use lakefold_base::{Error, Result};
use roaring::RoaringBitmap;

use super::container::{self, ARRAY, BITS, RUN};
use super::radix_tree::Tree;

/// `rbm64`: the union of 64-bit Roaring bitmaps.
pub(super) fn union(a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
    let mut union = Bitmap::read(a)?;
    union.merge(Bitmap::read(b)?)?;
    union.write()
}

fn broken(what: &str) -> Error {
    Error::corrupt(format!("a broken 64-bit bitmap in a row: {what}"))
}

/// Little-endian numbers off the front of some bytes.
pub(super) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count).ok_or_else(|| broken("it ends early"))?;
        self.0 = rest;
        Ok(head)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| broken("it ends early"))
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}

/// Containers by index, as Java's growing array holds them: free places at its end are written too.
#[derive(Default)]
struct Containers {
    places: Vec<Option<RoaringBitmap>>,
    /// The places that were given out.
    used: usize,
}

#[derive(Default)]
struct Bitmap {
    tree: Tree,
    containers: Containers,
}

impl Bitmap {
    fn read(bytes: &[u8]) -> Result<Self> {
        let mut input = Input(bytes);
        match input.u8()? {
            0 => return Ok(Self::default()),
            1 => {}
            _ => return Err(broken("an unknown tag")),
        }
        let keys = input.u64()?;
        let tree = Tree::read(&mut input)?;
        let containers = Containers::read(&mut input)?;
        let mut leaves = 0;
        for (_, index) in tree.leaves() {
            leaves += 1;
            containers.get(index)?;
        }
        if leaves != keys {
            return Err(broken("another number of keys"));
        }
        Ok(Self { tree, containers })
    }

    /// Adds another bitmap's values; new containers come behind the known ones.
    fn merge(&mut self, other: Self) -> Result<()> {
        for (key, index) in other.tree.leaves() {
            let container = other.containers.get(index)?;
            match self.tree.find(&key) {
                Some(known) => {
                    let place = self.containers.places.get_mut(known as usize).and_then(Option::as_mut);
                    *place.ok_or_else(|| broken("no container"))? |= container;
                }
                None => {
                    let place = self.containers.push(container.clone());
                    self.tree.insert(key, place);
                }
            }
        }
        Ok(())
    }

    fn write(mut self) -> Result<Vec<u8>> {
        let leaves = self.tree.leaves().len() as u64;
        if leaves == 0 {
            return Ok(vec![0]);
        }
        let mut out = vec![1];
        out.extend(leaves.to_le_bytes());
        self.tree.write(&mut out);
        self.containers.write(&mut out)?;
        Ok(out)
    }
}

impl Containers {
    fn read(input: &mut Input<'_>) -> Result<Self> {
        // A second array would hold what does not fit into two billion places.
        if input.u32()? != 1 {
            return Err(broken("not one array of containers"));
        }
        input.u8()?;
        let (count, mut places) = (input.u32()?, Vec::new());
        for _ in 0..count {
            places.push(match input.u8()? {
                0 => None,
                1 => Some(read_container(input)?),
                _ => return Err(broken("an unknown mark of a container")),
            });
        }
        let (_size, first, last) = (input.u64()?, input.u32()?, input.u32()?);
        if first != 0 || last >= count {
            return Err(broken("a last container that is not there"));
        }
        Ok(Self { places, used: last as usize + 1 })
    }

    fn get(&self, index: u64) -> Result<&RoaringBitmap> {
        let place = usize::try_from(index).ok().and_then(|i| self.places.get(i));
        place.and_then(Option::as_ref).ok_or_else(|| broken("a key without a container"))
    }

    fn push(&mut self, container: RoaringBitmap) -> u64 {
        let place = self.used;
        self.used += 1;
        if self.places.len() < self.used {
            let grown = self.places.len() + self.places.len() / 2;
            self.places.resize(grown.max(self.used), None);
        }
        self.places[place] = Some(container);
        place as u64
    }

    fn write(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend(1_u32.to_le_bytes());
        // The mark of an array that is written whole.
        out.push(0xFE);
        out.extend((self.places.len() as u32).to_le_bytes());
        let mut size = 0_u64;
        for place in &mut self.places {
            match place {
                None => out.push(0),
                Some(container) => {
                    size += 1;
                    out.push(1);
                    let packed = container::pack(container)?;
                    out.push(packed.kind);
                    out.extend(packed.cardinality.to_le_bytes());
                    out.extend(packed.data);
                }
            }
        }
        out.extend(size.to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend((self.used as u32 - 1).to_le_bytes());
        Ok(())
    }
}

fn read_container(input: &mut Input<'_>) -> Result<RoaringBitmap> {
    let (kind, cardinality) = (input.u8()?, input.u32()?);
    let data = match kind {
        RUN => {
            let runs = input.array::<2>()?;
            [&runs, input.take(4 * usize::from(u16::from_le_bytes(runs)))?].concat()
        }
        BITS => input.take(8192)?.to_vec(),
        ARRAY if cardinality <= 65_536 => input.take(2 * cardinality as usize)?.to_vec(),
        _ => return Err(broken("an unknown container")),
    };
    container::open(kind, cardinality, &data)
}
