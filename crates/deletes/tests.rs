//! Tests. The vectors' truth is the roaring crate's own portable serializer, wrapped by hand as the Iceberg spec says.

mod dv;
mod equality;
mod positions;
mod puffin;
