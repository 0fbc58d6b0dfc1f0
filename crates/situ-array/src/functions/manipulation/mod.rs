//! Changing shapes and putting arrays together: views where the memory allows it, copies otherwise.

mod joining;
mod rolling;
mod views;

pub use joining::{concat, repeat, repeat_each, stack, tile};
pub use rolling::roll;
pub use views::{
    broadcast_to, diagonal, expand_dims, flip, move_axes, normalized_axes, permute, reshape,
    squeeze, unstack,
};
