use super::column::{read_bool, symbol};
use super::input::Input;
use super::schema::{Kind, Node};
use lakefold_base::{Error, Result};

/// Passes over one value.
pub(super) fn skip(node: &Node, input: &mut Input<'_>) -> Result<()> {
    match &node.kind {
        Kind::Null => {}
        Kind::Boolean => drop(read_bool(input)?),
        Kind::Int(_) => drop(input.int()?),
        Kind::Long(_) => drop(input.long()?),
        Kind::Float => drop(input.take(4)?),
        Kind::Double => drop(input.take(8)?),
        Kind::Bytes | Kind::String | Kind::Decimal(None, ..) => {
            let n = input.length()?;
            input.take(n)?;
        }
        Kind::Enum(_) => drop(symbol(node, input.long()?)?),
        Kind::Fixed(n) | Kind::Decimal(Some(n), ..) => drop(input.take(*n)?),
        Kind::Array { item, .. } => skip_items(item.min_size, input, |input| skip(item, input))?,
        Kind::Map { value, .. } => skip_items(1 + value.min_size, input, |input| {
            let n = input.length()?;
            input.take(n)?;
            skip(value, input)
        })?,
        Kind::PairMap(fields) => {
            let min_size = fields.iter().map(|f| f.node.min_size).sum();
            skip_items(min_size, input, |input| fields.iter().try_for_each(|f| skip(&f.node, input)))?;
        }
        Kind::Record(fields) => fields.iter().try_for_each(|f| skip(&f.node, input))?,
        Kind::Union(branches) => {
            let branch = input.long()?;
            let found = usize::try_from(branch).ok().and_then(|i| branches.get(i));
            skip(found.ok_or_else(|| Error::corrupt(format!("union branch {branch}")))?, input)?;
        }
    }
    Ok(())
}

fn skip_items(
    min_size: usize,
    input: &mut Input<'_>,
    mut item: impl FnMut(&mut Input<'_>) -> Result<()>,
) -> Result<()> {
    loop {
        let count = input.skip_sized(min_size)?;
        if count == 0 {
            return Ok(());
        }
        for _ in 0..count {
            item(input)?;
        }
    }
}
