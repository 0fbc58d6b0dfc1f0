//! Kernels that compile, with the IR they become.

mod harness;

use situ_frontend::ArgumentPart;
use situ_ir::text;

#[test]
fn accepted_kernels_become_this_ir() {
    for (name, case) in harness::cases("accept") {
        let compiled = case
            .compile()
            .unwrap_or_else(|error| panic!("{name}:\n{error}"));
        let ir = text::print(&compiled.module);
        let plan: Vec<_> = compiled
            .plan
            .parameters
            .iter()
            .map(|planned| {
                // What is no argument of the user's is the report.
                let name = compiled.parameters.get(planned.argument);
                let name = name.map_or("report", String::as_str);
                match planned.part {
                    ArgumentPart::Scalar => name.to_owned(),
                    ArgumentPart::Pointer => format!("&{name}"),
                    ArgumentPart::Shape(axis) => format!("{name}.shape[{axis}]"),
                    ArgumentPart::Stride(axis) => format!("{name}.strides[{axis}]"),
                }
            })
            .collect();
        let shown = format!("// {}\n{ir}", plan.join(", "));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots/accept");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, shown));
    }
}

#[test]
fn printed_ir_parses_and_prints_the_same() {
    for (name, case) in harness::cases("accept") {
        let compiled = case
            .compile()
            .unwrap_or_else(|error| panic!("{name}:\n{error}"));
        let printed = text::print(&compiled.module);
        let source = situ_ir::Source::new(name.clone(), printed.clone());
        let parsed = text::parse(source).unwrap_or_else(|error| panic!("{name}:\n{error}"));
        assert_eq!(text::print(&parsed), printed, "{name}");
    }
}
