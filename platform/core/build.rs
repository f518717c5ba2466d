//! A new migration is no change of a source file, so nothing would be compiled anew.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
