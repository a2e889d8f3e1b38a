//! How much memory a thread holds: [`CountingAllocator`] counts, [`held`] tells.
//!
//! Rhai limits the size of each value, but not how many there are in a closure,
//! a stream or the wire. So the engine watches what a script's thread holds in
//! all. A program that does not install the allocator has no such limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, with a count for each thread.
pub struct CountingAllocator;

/// Bytes that this thread took and did not give back; what it gave back for
/// others counts as negative.
pub fn held() -> isize {
    HELD.try_with(Cell::get).unwrap_or(0)
}

fn count(bytes: usize, sign: isize) {
    // A thread that ends may have given up its count already.
    let _ = HELD.try_with(|held| {
        held.set(held.get().wrapping_add(sign.wrapping_mul(bytes.cast_signed())));
    });
}

// SAFETY: every call goes on to the system's allocator with the same arguments,
// and counting neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout.size(), -1);
        count(size, 1);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        unsafe { System.dealloc(pointer, layout) }
    }
}
