//! Files that Hadoop's codecs wrote (Zstandard's by its own tool): 20,000 lines in several blocks.

use super::Ask;
use lakefold_base::Code;
use lakefold_task::FileFormat;

const FILES: [(&str, &[u8]); 6] = [
    ("gz", include_bytes!("packed/lines.gz")),
    ("deflate", include_bytes!("packed/lines.deflate")),
    ("bz2", include_bytes!("packed/lines.bz2")),
    ("snappy", include_bytes!("packed/lines.snappy")),
    ("lz4", include_bytes!("packed/lines.lz4")),
    ("zst", include_bytes!("packed/lines.zst")),
];

fn ask(ending: &str, bytes: &[u8]) -> Ask {
    let mut ask = Ask::new(FileFormat::Csv, &[("n", "INT"), ("t", "STRING")], bytes);
    ask.path = format!("/lake/lines.csv.{ending}");
    ask
}

#[test]
fn each_codec_of_hadoop_is_known() {
    for (ending, bytes) in FILES {
        let rows = ask(ending, bytes).rows().unwrap();
        assert_eq!(rows.len(), 20_000, "{ending}");
        for (at, row) in rows.iter().enumerate() {
            assert_eq!((&row[0], row[1].as_str()), (&(at % 10).into(), Some("the same text again and again")));
        }
        // Streams one after the other are one.
        assert_eq!(ask(ending, &[bytes, bytes].concat()).rows().unwrap().len(), 40_000, "{ending}");
        assert!(ask(ending, b"").rows().unwrap_or_default().is_empty(), "{ending}");
    }
}

#[test]
fn cut_and_changed_files_are_errors() {
    for (ending, bytes) in FILES {
        for length in [1, 10, bytes.len() / 2, bytes.len() - 1] {
            let error = ask(ending, &bytes[..length]).rows().expect_err(ending);
            assert_eq!(error.code(), Code::CorruptFile, "{ending}: {error}");
        }
        // Whatever comes out, it is no panic.
        for at in (0..bytes.len()).step_by(97) {
            let mut changed = bytes.to_vec();
            changed[at] ^= 0x55;
            let _ = ask(ending, &changed).rows();
        }
    }
}

#[test]
fn a_compressed_file_is_read_whole() {
    let mut piece = ask("gz", FILES[0].1);
    piece.piece = (100, 1000);
    assert_eq!(piece.rows().unwrap_err().code(), Code::InvalidArgument);
}
