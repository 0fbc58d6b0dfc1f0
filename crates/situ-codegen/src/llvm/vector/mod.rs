//! Kernels that run for a vector of work-items at a time.
//!
//! LLVM vectorises the loop over work-items when it is an innermost loop. A kernel with a loop inside is
//! vectorised here: each number is one for all lanes or a vector with one for each, and where lanes part, code
//! runs under masks. `docs/design/0020-vector-kernels.md` tells how. The scalar form of the same kernel is
//! in the folder above; operators, casts and mathematical functions are written once for both.
//!
//! | file | about |
//! |---|---|
//! | `shape`, `flow` | what is the same in all lanes, and where lanes part |
//! | `cost` | whether it pays, and how many lanes |
//! | `rows`, `rounds` | loops over vectors of work-items, and of rounds |
//! | `body`, `lanes`, `masks` | what is known while code is written |
//! | `statements`, `control`, `expressions`, `memory`, `calls`, `atomics` | the nodes of the IR |

mod atomics;
mod body;
mod calls;
mod control;
mod cost;
mod expressions;
mod flow;
mod lanes;
mod masks;
mod memory;
pub(super) mod rounds;
pub(super) mod rows;
mod shape;
mod statements;

pub(super) use cost::{VectorPlan, plan};
