//! Sub-groups: work-items are dealt to them in the order of their linear ids, on every device and in
//! groups of any shape.

use std::sync::Arc;

use situ_ir::{NdRange, Source, ValidModule, text, validate};
use situ_runtime::{Error, Program};

use crate::{download, on_every_device, pointer_to, upload};

/// What a work-item writes: its answers about sub-groups, then what collectives give it.
const WORDS: usize = 9;

fn module(dims: usize) -> ValidModule {
    // Collectives that use order and such that do not, of wide and narrow types.
    let source = format!(
        "kernel[{dims}] ask(out: global i64*) {{
            let here = global_linear_id();
            let first = here * {WORDS};
            let me = local_linear_id();
            out[first] = sub_group_id();
            out[first + 1] = sub_group_local_id();
            out[first + 2] = sub_group_size();
            out[first + 3] = sub_group_count();
            let total = collective reduce add(me) sub_group;
            out[first + 4] = total;
            let float = cast(f32, me);
            let running = collective inclusive_scan add(float) sub_group;
            out[first + 5] = cast(i64, running);
            let before = collective exclusive_scan max(me) sub_group;
            out[first + 6] = before;
            let last = collective broadcast(me, -1) sub_group;
            out[first + 7] = last;
            let small = cast(i16, me);
            let any = collective any(small == 3i16) sub_group;
            out[first + 8] = cast(i64, any);
        }}"
    );
    let module = text::parse(Source::new("ask.sir", source)).unwrap();
    validate(module).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// The same computed here, for the work-item at `me` of a group of so many.
fn expected(me: i64, items: i64, size: i64) -> [i64; WORDS] {
    let first = me / size * size;
    let end = items.min(first + size);
    [
        me / size,
        me % size,
        end - first,
        (items + size - 1) / size,
        (first..end).sum(),
        (first..=me).sum(),
        if me == first { i64::MIN } else { me - 1 },
        end - 1,
        i64::from((first..end).contains(&3)),
    ]
}

#[test]
fn work_items_are_dealt_to_sub_groups_in_order() {
    let shapes: [&[u64]; 8] = [
        &[64],
        &[24],
        &[10],
        &[1],
        &[4, 6],
        &[2, 16],
        &[3, 3, 3],
        &[7, 1, 5],
    ];
    on_every_device(|queue| {
        let sizes = queue.device().info().sub_group_sizes.clone();
        for dims in 1..=3 {
            let module = module(dims);
            for &size in &sizes {
                let program =
                    Program::compile_for_sub_groups(queue.device(), &module, size).unwrap();
                let kernel = program.kernel("ask").unwrap();
                for local in shapes.iter().filter(|shape| shape.len() == dims) {
                    // Two groups along the slowest dimension, one after the other in memory.
                    let mut global = local.to_vec();
                    global[0] *= 2;
                    let items: u64 = local.iter().product();
                    let out = upload(queue, &vec![0_i64; 2 * items as usize * WORDS]);
                    let range = NdRange::with_local(&global, local).unwrap();
                    queue.launch(&kernel, &range, &[pointer_to(&out)]).unwrap();
                    let found = download::<i64>(queue, &out);
                    for (number, found) in found.chunks_exact(WORDS).enumerate() {
                        let me = number as i64 % items as i64;
                        assert_eq!(
                            found,
                            expected(me, items as i64, i64::from(size)),
                            "work-item {me} of {local:?}, sub-groups of {size}"
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn a_size_that_is_not_there_is_refused_by_name() {
    on_every_device(|queue| {
        let module = module(1);
        let sizes = &queue.device().info().sub_group_sizes;
        let Err(error) = Program::compile_for_sub_groups(queue.device(), &module, 5) else {
            panic!("no device has sub-groups of 5");
        };
        assert!(
            matches!(&error, Error::SubGroupSizeMissing { available, .. } if available == sizes)
        );
        let message = error.to_string();
        for part in ["`ask`", &queue.device().filter_string(), "sub-groups of 5"] {
            assert!(message.contains(part), "{message}");
        }
        let says = if *sizes == [1] {
            "has no sub-groups"
        } else {
            "`16`"
        };
        assert!(message.contains(says), "{message}");
    });
}

#[test]
fn a_kernel_without_sub_groups_does_not_care() {
    on_every_device(|queue| {
        let module = crate::validated(crate::counting_kernel());
        let program = Program::compile_for_sub_groups(queue.device(), &module, 5).unwrap();
        let kernel = Arc::clone(&program).kernel("count").unwrap();
        let out = upload(queue, &[9_i64; 4]);
        let range = NdRange::new(&[4]).unwrap();
        queue.launch(&kernel, &range, &[pointer_to(&out)]).unwrap();
        assert_eq!(download::<i64>(queue, &out), [0, 1, 2, 3]);
    });
}
