//! Compresses the published OpenAPI documents, which are part of the program.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi");
    let out = std::env::var_os("OUT_DIR").expect("cargo names the folder");
    for name in ["public.json", "admin.json", "partner.json"] {
        let document = folder.join(name);
        println!("cargo::rerun-if-changed={}", document.display());
        let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
        compressed.write_all(&std::fs::read(document)?)?;
        std::fs::write(Path::new(&out).join(format!("{name}.gz")), compressed.finish()?)?;
    }
    Ok(())
}
