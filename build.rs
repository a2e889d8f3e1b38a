//! Rebuilds the program when a file that it embeds is added, changed or removed.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=checks");
    println!("cargo::rerun-if-changed=profiles");
}
