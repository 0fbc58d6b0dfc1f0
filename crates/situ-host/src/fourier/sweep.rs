//! Every line of an array along one axis.
//!
//! A contiguous array is seen as blocks of lines: `inner` lines lie side by side in each, so that
//! neighbours of a line are `inner` elements apart. Lines along the last axis (`inner` is one) are
//! transformed where they lie. Others are gathered a few at a time, as many as fill cache lines,
//! transformed next to each other, and put back.
//!
//! Short lines are shared out to the threads of the pool at hand; long ones use all of them and
//! follow each other.

use rustfft::num_complex::Complex;

use super::Real;
use crate::parallel::{for_each_part, for_each_part_with};

/// Fewer elements than this are not worth waking another thread.
pub(super) const WORTH_SHARING: usize = 1 << 15;

/// Elements in the lines that a task transforms, if it can choose.
const SHARE: usize = 1 << 13;

/// Bytes of neighbours that are gathered together.
const TILE_BYTES: usize = 128;

/// The same for long lines, of which each needs much memory.
const LONG_TILE_BYTES: usize = 64;

/// A transform of lines, whatever their elements are before and after.
pub(super) trait Lines: Sync {
    /// The precision.
    type Real: Real;
    /// Elements of a line.
    type Input: bytemuck::Pod + Send + Sync;
    /// Elements of its transform.
    type Output: bytemuck::Pod + Send + Sync;

    /// How many elements a line has.
    fn input_len(&self) -> usize;

    /// How many its transform has.
    fn output_len(&self) -> usize;

    /// How much memory is needed besides.
    fn scratch_len(&self) -> usize;

    /// Whether all threads work on one line.
    fn is_parallel(&self) -> bool;

    /// Transforms a line.
    fn run(
        &self,
        input: &[Self::Input],
        output: &mut [Self::Output],
        scratch: &mut [Complex<Self::Real>],
    );
}

/// How many neighbours are gathered together.
pub(super) const fn tile_width<E>() -> usize {
    TILE_BYTES / size_of::<E>()
}

/// Memory for lines that are away from their place.
struct Buffers<L: Lines> {
    input: Vec<L::Input>,
    output: Vec<L::Output>,
    scratch: Vec<Complex<L::Real>>,
}

impl<L: Lines> Buffers<L> {
    fn new(lines: &L, width: usize) -> Self {
        Self {
            input: vec![bytemuck::Zeroable::zeroed(); width * lines.input_len()],
            output: vec![bytemuck::Zeroable::zeroed(); width * lines.output_len()],
            scratch: scratch(lines),
        }
    }
}

fn scratch<L: Lines>(lines: &L) -> Vec<Complex<L::Real>> {
    vec![bytemuck::Zeroable::zeroed(); lines.scratch_len()]
}

/// Transforms all lines that lie `inner` side by side. `long_scratch` is for lines that need all
/// threads; others need none of it.
pub(super) fn all<L: Lines>(
    lines: &L,
    source: &[L::Input],
    target: &mut [L::Output],
    inner: usize,
    long_scratch: &mut [Complex<L::Real>],
) {
    if source.is_empty() {
        return;
    }
    let (input_len, output_len) = (lines.input_len() * inner, lines.output_len() * inner);
    let blocks = || source.chunks_exact(input_len);
    let is_shared = source.len() + target.len() >= WORTH_SHARING;
    let count = source.len() / input_len;
    if lines.is_parallel() {
        for (from, to) in blocks().zip(target.chunks_exact_mut(output_len)) {
            long_block(lines, from, to, inner, long_scratch);
        }
    } else if is_shared && inner > 1 && count < 4 * rayon::current_num_threads() {
        for (from, to) in blocks().zip(target.chunks_exact_mut(output_len)) {
            one_block(lines, from, to, inner);
        }
    } else {
        let each = if is_shared {
            SHARE.div_ceil(input_len + output_len)
        } else {
            count
        };
        let transform = |buffers: &mut Buffers<L>, (from, to): (&[L::Input], &mut [L::Output])| {
            let blocks = from.chunks_exact(input_len);
            for (from, to) in blocks.zip(to.chunks_exact_mut(output_len)) {
                alone(lines, from, to, inner, buffers);
            }
        };
        let width = if inner == 1 {
            0
        } else {
            width_of(lines, inner)
        };
        if each >= count {
            transform(&mut Buffers::new(lines, width), (source, target));
            return;
        }
        let targets = target.chunks_mut(each * output_len);
        let parts = source.chunks(each * input_len).zip(targets);
        for_each_part_with(parts, || Buffers::new(lines, width), transform);
    }
}

fn width_of<L: Lines>(_: &L, inner: usize) -> usize {
    tile_width::<L::Output>().min(inner)
}

/// Transforms a block by one thread.
fn alone<L: Lines>(
    lines: &L,
    source: &[L::Input],
    target: &mut [L::Output],
    inner: usize,
    buffers: &mut Buffers<L>,
) {
    if inner == 1 {
        lines.run(source, target, &mut buffers.scratch);
        return;
    }
    let (input_len, output_len) = (lines.input_len(), lines.output_len());
    let width = width_of(lines, inner);
    for start in (0..inner).step_by(width) {
        let width = width.min(inner - start);
        let output = &mut buffers.output[..width * output_len];
        let input = &mut buffers.input[..width * input_len];
        gather(source, inner, start, input, input_len);
        for (from, to) in input
            .chunks_exact(input_len)
            .zip(output.chunks_exact_mut(output_len))
        {
            lines.run(from, to, &mut buffers.scratch);
        }
        scatter(output, output_len, 0, target, inner, start);
    }
}

/// Transforms the short lines of one block by all threads: a group of lines at a time is transformed
/// away from its place, and put back when all of the group are done.
pub(super) fn one_block<L: Lines>(
    lines: &L,
    source: &[L::Input],
    target: &mut [L::Output],
    inner: usize,
) {
    let (input_len, output_len) = (lines.input_len(), lines.output_len());
    let width = width_of(lines, inner);
    let group = (8 * width * rayon::current_num_threads()).min(inner);
    let rows = output_len.div_ceil(4 * rayon::current_num_threads());
    let mut lines_done: Vec<L::Output> = vec![bytemuck::Zeroable::zeroed(); group * output_len];
    let new_buffers = || {
        let input = vec![bytemuck::Zeroable::zeroed(); width * input_len];
        (input, scratch(lines))
    };
    for start in (0..inner).step_by(group) {
        let done = &mut lines_done[..group.min(inner - start) * output_len];
        let tiles = done.chunks_mut(width * output_len).enumerate();
        for_each_part_with(tiles, new_buffers, |(input, scratch), (tile, output)| {
            let width_here = output.len() / output_len;
            let input = &mut input[..width_here * input_len];
            gather(source, inner, start + tile * width, input, input_len);
            for (from, to) in input
                .chunks_exact(input_len)
                .zip(output.chunks_exact_mut(output_len))
            {
                lines.run(from, to, scratch);
            }
        });
        let done = &*done;
        let parts = target.chunks_mut(rows * inner).enumerate();
        for_each_part(parts, |(part, target)| {
            scatter(done, output_len, part * rows, target, inner, start);
        });
    }
}

/// Transforms the long lines of a block, one after the other by all threads. As many as fill a cache line are brought
/// from their places together and put back together, so that no line of the cache is asked for twice.
fn long_block<L: Lines>(
    lines: &L,
    source: &[L::Input],
    target: &mut [L::Output],
    inner: usize,
    scratch: &mut [Complex<L::Real>],
) {
    if inner == 1 {
        lines.run(source, target, scratch);
        return;
    }
    let (input_len, output_len) = (lines.input_len(), lines.output_len());
    let width = (LONG_TILE_BYTES / size_of::<L::Output>()).min(inner);
    let rows = output_len.div_ceil(4 * rayon::current_num_threads());
    let mut input = vec![bytemuck::Zeroable::zeroed(); width * input_len];
    let mut output = vec![bytemuck::Zeroable::zeroed(); width * output_len];
    for start in (0..inner).step_by(width) {
        let width = width.min(inner - start);
        let input = &mut input[..width * input_len];
        let output = &mut output[..width * output_len];
        gather_shared(source, inner, start, input, input_len);
        let each = input.chunks_exact(input_len);
        for (from, to) in each.zip(output.chunks_exact_mut(output_len)) {
            lines.run(from, to, scratch);
        }
        let output = &*output;
        let parts = target.chunks_mut(rows * inner).enumerate();
        for_each_part(parts, |(part, target)| {
            scatter(output, output_len, part * rows, target, inner, start);
        });
    }
}

/// As [`gather`], by all threads: each brings some elements of every line.
fn gather_shared<E: Copy + Send + Sync>(
    source: &[E],
    inner: usize,
    start: usize,
    lines: &mut [E],
    line_len: usize,
) {
    let each = line_len.div_ceil(4 * rayon::current_num_threads());
    let mut pieces: Vec<Vec<&mut [E]>> = Vec::new();
    pieces.resize_with(line_len.div_ceil(each), Vec::new);
    for line in lines.chunks_exact_mut(line_len) {
        for (piece, part) in pieces.iter_mut().zip(line.chunks_mut(each)) {
            piece.push(part);
        }
    }
    let rows = source.chunks(each * inner);
    for_each_part(rows.zip(pieces), |(rows, mut columns)| {
        let width = columns.len();
        for (position, row) in rows.chunks_exact(inner).enumerate() {
            for (column, element) in columns.iter_mut().zip(&row[start..start + width]) {
                column[position] = *element;
            }
        }
    });
}

/// Copies neighbouring columns of a matrix, whose rows are `inner` long, to lines.
pub(super) fn gather<E: Copy>(
    source: &[E],
    inner: usize,
    start: usize,
    lines: &mut [E],
    line_len: usize,
) {
    let width = lines.len() / line_len;
    for (position, row) in source.chunks_exact(inner).enumerate() {
        for (column, element) in row[start..start + width].iter().enumerate() {
            lines[column * line_len + position] = *element;
        }
    }
}

/// Copies lines to neighbouring columns of some rows of a matrix: those that begin with the line's
/// element `first`.
fn scatter<E: Copy>(
    lines: &[E],
    line_len: usize,
    first: usize,
    target: &mut [E],
    inner: usize,
    start: usize,
) {
    let width = lines.len() / line_len;
    for (position, row) in (first..).zip(target.chunks_exact_mut(inner)) {
        for (column, element) in row[start..start + width].iter_mut().enumerate() {
            *element = lines[column * line_len + position];
        }
    }
}
