//! The adaptive radix tree of Java's `Roaring64Bitmap`, in the form in which it is written.

use lakefold_base::{Error, Result};

use super::bitmap64::Input;

/// The high 48 bits of values, big-endian.
pub(super) type Key = [u8; 6];

/// Keys with the index of their container.
#[derive(Default)]
pub(super) struct Tree {
    root: Option<Node>,
}

enum Node {
    Leaf { key: Key, container: u64 },
    Branch(Branch),
}

/// How a branch is written, by how many children it may have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    Four,
    Sixteen,
    FortyEight,
    All,
}

struct Branch {
    width: Width,
    prefix: Vec<u8>,
    /// By their byte, ascending.
    children: Vec<Child>,
}

struct Child {
    byte: u8,
    /// Where a branch of 48 holds it.
    slot: u8,
    node: Node,
}

const LEAF: u8 = 4;
/// No child in a branch of 48.
const NONE: u8 = 0xFF;

fn broken(what: &str) -> Error {
    Error::corrupt(format!("a broken 64-bit bitmap in a row: {what}"))
}

impl Tree {
    pub(super) fn read(input: &mut Input<'_>) -> Result<Self> {
        let mut path = Vec::with_capacity(6);
        Ok(Self { root: Some(Node::read(input, &mut path)?) })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        if let Some(root) = &self.root {
            root.write(out);
        }
    }

    /// Keys and containers, in order of the keys.
    pub(super) fn leaves(&self) -> Vec<(Key, u64)> {
        let mut all = Vec::new();
        if let Some(root) = &self.root {
            root.leaves(&mut all);
        }
        all
    }

    pub(super) fn find(&self, key: &Key) -> Option<u64> {
        let (mut node, mut depth) = (self.root.as_ref()?, 0);
        loop {
            match node {
                Node::Leaf { key: own, container } => return (own == key).then_some(*container),
                Node::Branch(branch) => {
                    let rest = key.get(depth..)?.strip_prefix(&branch.prefix[..])?;
                    let at = branch.children.binary_search_by_key(rest.first()?, |c| c.byte).ok()?;
                    depth += branch.prefix.len() + 1;
                    node = &branch.children[at].node;
                }
            }
        }
    }

    /// Adds a key that is not there.
    pub(super) fn insert(&mut self, key: Key, container: u64) {
        self.root = Some(match self.root.take() {
            None => Node::Leaf { key, container },
            Some(root) => root.inserted(key, container, 0),
        });
    }
}

impl Node {
    fn inserted(self, key: Key, container: u64, depth: usize) -> Node {
        let leaf = Node::Leaf { key, container };
        let rest = &key[depth..];
        match self {
            Node::Leaf { key: own, container } => {
                let shared = rest.iter().zip(&own[depth..]).take_while(|(a, b)| a == b).count();
                let byte = own[depth + shared];
                Branch::of_two(rest[..shared].to_vec(), byte, Node::Leaf { key: own, container }, rest[shared], leaf)
            }
            Node::Branch(mut branch) => {
                let shared = rest.iter().zip(&branch.prefix).take_while(|(a, b)| a == b).count();
                if shared < branch.prefix.len() {
                    let own = branch.prefix.split_off(shared);
                    let above = std::mem::replace(&mut branch.prefix, own[1..].to_vec());
                    return Branch::of_two(above, own[0], Node::Branch(branch), rest[shared], leaf);
                }
                let byte = rest[shared];
                match branch.children.binary_search_by_key(&byte, |c| c.byte) {
                    Ok(at) => {
                        let child = branch.children.remove(at);
                        let node = child.node.inserted(key, container, depth + shared + 1);
                        branch.children.insert(at, Child { node, ..child });
                    }
                    Err(at) => branch.add(at, byte, leaf),
                }
                Node::Branch(branch)
            }
        }
    }

    fn leaves(&self, all: &mut Vec<(Key, u64)>) {
        match self {
            Node::Leaf { key, container } => all.push((*key, *container)),
            Node::Branch(branch) => branch.children.iter().for_each(|c| c.node.leaves(all)),
        }
    }

    /// Reads a node below `path`, the bytes of its keys that are known. Each branch adds one, so the depth is bounded.
    fn read(input: &mut Input<'_>, path: &mut Vec<u8>) -> Result<Node> {
        let (kind, count, prefix) = (input.u8()?, input.u16()?, input.u8()?);
        let prefix = input.take(prefix.into())?.to_vec();
        let width = match kind {
            0 => Width::Four,
            1 => Width::Sixteen,
            2 => Width::FortyEight,
            3 => Width::All,
            LEAF => {
                let (key, container) = (input.array::<6>()?, input.u64()?);
                return if key.starts_with(path) {
                    Ok(Node::Leaf { key, container })
                } else {
                    Err(broken("a key in another's place"))
                };
            }
            _ => return Err(broken("an unknown node")),
        };
        let places = width.read(count.into(), input)?;
        let known = path.len();
        path.extend(&prefix);
        if path.len() >= 6 {
            return Err(broken("a branch below whole keys"));
        }
        let mut children = Vec::with_capacity(places.len());
        for (byte, slot) in places {
            path.push(byte);
            children.push(Child { byte, slot, node: Node::read(input, path)? });
            path.pop();
        }
        path.truncate(known);
        Ok(Node::Branch(Branch { width, prefix, children }))
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Node::Leaf { key, container } => {
                out.extend([LEAF, 0, 0, 0]);
                out.extend(key);
                out.extend(container.to_le_bytes());
            }
            Node::Branch(branch) => branch.write(out),
        }
    }
}

impl Width {
    /// The bytes of the children, ascending, with their slots.
    fn read(self, count: usize, input: &mut Input<'_>) -> Result<Vec<(u8, u8)>> {
        let mut places: Vec<(u8, u8)> = Vec::new();
        match self {
            Width::Four | Width::Sixteen => {
                let body = input.take(if self == Width::Four { 4 } else { 16 })?;
                let bytes = turned(body, if self == Width::Four { 4 } else { 8 });
                let bytes = bytes.get(..count).ok_or_else(|| broken("too many children"))?;
                places.extend((0..).zip(bytes).map(|(slot, byte)| (*byte, slot)));
            }
            Width::FortyEight => {
                let slots = turned(input.take(256)?, 8);
                let taken = (0..=255).zip(slots).filter(|(_, slot)| *slot != NONE);
                places.extend(taken);
                let mut seen = [false; 48];
                for (_, slot) in &places {
                    match seen.get_mut(usize::from(*slot)) {
                        Some(seen) if !*seen => *seen = true,
                        _ => return Err(broken("a child in another's slot")),
                    }
                }
            }
            Width::All => {
                let body = input.take(32)?;
                places.extend((0..=255).filter(|b| body[usize::from(*b) / 8] >> (b % 8) & 1 == 1).map(|b| (b, 0)));
            }
        }
        let sorted = places.windows(2).all(|w| w[0].0 < w[1].0);
        if places.len() == count && count > 0 && sorted { Ok(places) } else { Err(broken("children out of order")) }
    }
}

/// Each group of `size` bytes in reverse: a big-endian pack that was written as a little-endian number.
fn turned(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.chunks(size).flat_map(|chunk| chunk.iter().rev()).copied().collect()
}

impl Branch {
    fn of_two(prefix: Vec<u8>, byte: u8, node: Node, other_byte: u8, other: Node) -> Node {
        let mut branch = Branch { width: Width::Four, prefix, children: Vec::with_capacity(2) };
        branch.children.push(Child { byte, slot: 0, node });
        branch.add(usize::from(other_byte > byte), other_byte, other);
        Node::Branch(branch)
    }

    /// Puts a child at its place, and makes room as Java does: slots of 48 are given out in order of arrival.
    fn add(&mut self, at: usize, byte: u8, node: Node) {
        let count = self.children.len();
        self.width = match self.width {
            Width::Four if count == 4 => Width::Sixteen,
            Width::Sixteen if count == 16 => {
                (0..).zip(&mut self.children).for_each(|(slot, child)| child.slot = slot);
                Width::FortyEight
            }
            Width::FortyEight if count == 48 => Width::All,
            width => width,
        };
        let taken = |slot: u8| self.children.iter().any(|c| c.slot == slot);
        let slot = match self.width {
            Width::FortyEight => {
                let next = count as u8;
                if taken(next) { (0..next).find(|s| !taken(*s)).unwrap_or(next) } else { next }
            }
            _ => 0,
        };
        self.children.insert(at, Child { byte, slot, node });
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.width as u8);
        out.extend((self.children.len() as u16).to_le_bytes());
        out.push(self.prefix.len() as u8);
        out.extend(&self.prefix);
        match self.width {
            Width::Four | Width::Sixteen => {
                let mut bytes = vec![0; if self.width == Width::Four { 4 } else { 16 }];
                self.children.iter().zip(&mut bytes).for_each(|(child, place)| *place = child.byte);
                out.extend(turned(&bytes, if self.width == Width::Four { 4 } else { 8 }));
            }
            Width::FortyEight => {
                let mut slots = [NONE; 256];
                self.children.iter().for_each(|c| slots[usize::from(c.byte)] = c.slot);
                out.extend(turned(&slots, 8));
            }
            Width::All => {
                let mut bits = [0_u8; 32];
                self.children.iter().for_each(|c| bits[usize::from(c.byte) / 8] |= 1 << (c.byte % 8));
                out.extend(bits);
            }
        }
        self.children.iter().for_each(|c| c.node.write(out));
    }
}
