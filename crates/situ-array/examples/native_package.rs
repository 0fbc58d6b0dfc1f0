//! A program in Rust over situ: devices, arrays, array functions, a kernel of its own and code of the host, on one queue.
//!
//! Nothing waits before the results are read: each step comes after those that write what it reads.
//!
//! ```sh
//! cargo run -p situ-array --example native_package -- native
//! ```

#![expect(
    clippy::print_stdout,
    reason = "an example's product is what it prints"
)]

use std::error::Error;

use situ_array::Array;
use situ_array::functions::apply::{Operand, apply};
use situ_array::functions::elementwise::find;
use situ_array::functions::statistical::{Nan, Over, sum};
use situ_array::host::HostCall;
use situ_array::placement::{Operation, Participant, Placement, Placer};
use situ_ir::{DType, Literal, NdRange, Source, text, validate};
use situ_runtime::{Argument, Program, Queue, QueueProperties, UsmKind, select};

/// Mixes neighbours: each work-item computes one element.
const SMOOTH: &str = "
kernel[1] smooth(x: global f64*, out: global f64*, last: i64) {
    let i: i64 = global_id(0);
    if (i == 0) | (i == last) {
        out[i] = x[i];
    } else {
        out[i] = ((x[i - 1] + x[i]) + x[i + 1]) / 3.0;
    }
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let selector = std::env::args().nth(1);
    run(selector.as_deref().unwrap_or("native"))
}

fn run(selector: &str) -> Result<(), Box<dyn Error>> {
    // Where: a queue of the device that a selector names.
    let queue = Queue::new(&select(selector)?);
    println!("on {}", queue.device().filter_string());

    // Data: USM memory, filled from slices of the host.
    let x = array_of(&[1.0, 2.0, 4.0, 8.0, 16.0], &queue, UsmKind::Shared)?;
    let y = array_of(&[0.5, 0.5, 1.0, 1.0, 2.0], &queue, UsmKind::Device)?;

    // Array functions run where their arrays are, and USM kinds mix.
    let multiply = find("multiply").ok_or("the table has it")?;
    let operands = [x.clone(), y].map(Operand::Array);
    let product = apply(multiply, &operands, None, None)?;
    assert_eq!(product.usm_kind(), UsmKind::Device);

    // A kernel in the text format of the IR, compiled for the device.
    let module = validate(text::parse(Source::new("smooth.sir", SMOOTH))?)?;
    let smooth = Program::compile(queue.device(), &module)?.kernel("smooth")?;
    let placed = place(&[("x", &product), ("like", &x)])?;
    let smoothed = Array::empty(product.shape(), DType::F64, &placed.queue, placed.usm_kind)?;
    let last = Argument::Scalar(Literal::I64(product.size() as i64 - 1));
    let arguments = [product.argument(), smoothed.argument(), last];
    let range = NdRange::new(&[product.size() as u64])?;
    placed.queue.launch(&smooth, &range, &arguments)?;

    // Code of the host, in its turn among the commands that use the same arrays.
    let reversed = Array::empty(smoothed.shape(), DType::F64, &queue, UsmKind::Device)?;
    let call = HostCall {
        name: "reverse",
        queue: &queue,
        reads: &[&smoothed],
        writes: &[&reversed],
        is_brief: true,
    };
    call.submit(|mut memory| {
        let from: &[f64] = bytemuck::cast_slice(memory.reads[0]);
        let to: &mut [f64] = bytemuck::cast_slice_mut(memory.writes[0]);
        for (to, from) in to.iter_mut().zip(from.iter().rev()) {
            *to = *from;
        }
        Ok(())
    })?;

    // Results: reading waits for exactly what it reads.
    let total = sum(&reversed, None, Nan::Counts, Over::default())?;
    println!(
        "{:?}, in all {}",
        elements(&reversed)?,
        elements(&total)?[0]
    );
    assert_eq!(
        elements(&reversed)?,
        [32.0, 44.0 / 3.0, 13.0 / 3.0, 5.5 / 3.0, 0.5]
    );

    // Arrays that do not meet are refused, with the reason and the way out.
    let unordered = QueueProperties {
        in_order: false,
        ..queue.properties()
    };
    let other_queue = Queue::with_context(queue.context(), queue.device(), unordered)?;
    let elsewhere = array_of(&[1.0], &other_queue, UsmKind::Device)?;
    let refused = place(&[("x", &x), ("elsewhere", &elsewhere)]).expect_err("queues differ");
    println!("{refused}");
    Ok(())
}

/// An array with the elements of a slice.
fn array_of(values: &[f64], queue: &Queue, kind: UsmKind) -> Result<Array, situ_array::Error> {
    let array = Array::empty(&[values.len()], DType::F64, queue, kind)?;
    array.write_bytes(bytemuck::cast_slice(values))?;
    Ok(array)
}

/// The elements of an array, on the host.
fn elements(array: &Array) -> Result<Vec<f64>, situ_array::Error> {
    let mut values = vec![0.0; array.size()];
    array.read_bytes(bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}

/// Compute follows data: the queue that arrays agree on, and the USM kind of a result.
fn place(arrays: &[(&str, &Array)]) -> Result<Placement, situ_array::Error> {
    let placer = Placer {
        operation: Operation::Function("smooth"),
        explicit: None,
    };
    let participants = arrays
        .iter()
        .map(|(name, array)| (*name, Participant::Array(array)));
    let placed = placer.place(participants)?;
    Ok(placed.expect("there is an array"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_runs_on_devices_that_are_always_there() {
        for selector in ["native", "reference"] {
            super::run(selector).unwrap();
        }
    }
}
