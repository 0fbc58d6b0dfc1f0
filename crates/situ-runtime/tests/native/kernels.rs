//! LLVM modules written by hand in the form the emitter uses, for tests of the layers below it.

/// The preamble of a kernel over a flat range: loads `begin` and `end`, loops from one to the
/// other with `%i` as the work-item, and marks memory accesses as independent.
fn items_kernel(symbol: &str, arguments: &str, body: &str, declarations: &str) -> String {
    format!(
        "{declarations}
define void @{symbol}(ptr noalias readonly %args, ptr noalias readonly %launch) {{
entry:
{arguments}
  %begin.at = getelementptr i8, ptr %launch, i64 48
  %begin = load i64, ptr %begin.at
  %end.at = getelementptr i8, ptr %launch, i64 56
  %end = load i64, ptr %end.at
  %any = icmp ult i64 %begin, %end
  br i1 %any, label %loop, label %exit
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %latch ]
{body}
  br label %latch
latch:
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %exit, label %loop, !llvm.loop !1
exit:
  ret void
}}
!0 = distinct !{{}}
!1 = distinct !{{!1, !{{!\"llvm.loop.parallel_accesses\", !0}}}}
"
    )
}

/// The same module with the preferred vector width the emitter would write.
pub(crate) fn with_vector_bits(text: &str, bits: u32) -> String {
    let end = "ptr noalias readonly %launch)";
    text.replace(end, &format!("{end} \"prefer-vector-width\"=\"{bits}\""))
}

fn pointer_argument(index: usize, name: &str) -> String {
    format!(
        "  %{name}.at = getelementptr i8, ptr %args, i64 {}\n  %{name} = load ptr, ptr %{name}.at\n",
        index * 8
    )
}

fn pointer_arguments(names: &[&str]) -> String {
    names
        .iter()
        .enumerate()
        .map(|(index, name)| pointer_argument(index, name))
        .collect()
}

/// `out[i] = a[i] * b[i] + c[i]` in f64.
pub(crate) fn multiply_add(symbol: &str) -> String {
    let body = "
  %a.i = getelementptr double, ptr %a, i64 %i
  %a.v = load double, ptr %a.i, !llvm.access.group !0
  %b.i = getelementptr double, ptr %b, i64 %i
  %b.v = load double, ptr %b.i, !llvm.access.group !0
  %c.i = getelementptr double, ptr %c, i64 %i
  %c.v = load double, ptr %c.i, !llvm.access.group !0
  %p = fmul double %a.v, %b.v
  %s = fadd double %p, %c.v
  %o.i = getelementptr double, ptr %out, i64 %i
  store double %s, ptr %o.i, !llvm.access.group !0";
    items_kernel(
        symbol,
        &pointer_arguments(&["a", "b", "c", "out"]),
        body,
        "",
    )
}

/// `out[i] = sin(a[i])` in f64 by the scalar function of the C library.
pub(crate) fn scalar_sine(symbol: &str) -> String {
    let body = "
  %a.i = getelementptr double, ptr %a, i64 %i
  %a.v = load double, ptr %a.i, !llvm.access.group !0
  %s = call double @sin(double %a.v)
  %o.i = getelementptr double, ptr %out, i64 %i
  store double %s, ptr %o.i, !llvm.access.group !0";
    let arguments = pointer_arguments(&["a", "out"]);
    items_kernel(symbol, &arguments, body, "declare double @sin(double)\n")
}

/// `out[i] = sin(a[i])` in f64 by a vector function with `lanes` lanes, also for single elements.
pub(crate) fn vector_sine(symbol: &str, vector_symbol: &str, lanes: usize) -> String {
    let body = "
  %a.i = getelementptr double, ptr %a, i64 %i
  %a.v = load double, ptr %a.i, !llvm.access.group !0
  %s = call double @one_sine(double %a.v) #1
  %o.i = getelementptr double, ptr %out, i64 %i
  store double %s, ptr %o.i, !llvm.access.group !0";
    let vector = format!("<{lanes} x double>");
    let declarations = format!(
        "declare {vector} @{vector_symbol}({vector}) #2
@llvm.compiler.used = appending global [1 x ptr] [ptr @{vector_symbol}], section \"llvm.metadata\"
define internal double @one_sine(double %x) #0 {{
  %one = insertelement {vector} poison, double %x, i64 0
  %all = shufflevector {vector} %one, {vector} poison, <{lanes} x i32> zeroinitializer
  %result = call {vector} @{vector_symbol}({vector} %all)
  %first = extractelement {vector} %result, i64 0
  ret double %first
}}
attributes #0 = {{ noinline nounwind willreturn memory(none) }}
attributes #1 = {{ nounwind willreturn memory(none) \"vector-function-abi-variant\"=\"_ZGV_LLVM_N{lanes}v_one_sine({vector_symbol})\" }}
attributes #2 = {{ nounwind willreturn memory(none) }}
"
    );
    items_kernel(
        symbol,
        &pointer_arguments(&["a", "out"]),
        body,
        &declarations,
    )
}

/// `out[i] = n` iterations of `z = z * z + c` until it escapes: an inner loop with a varying
/// number of rounds.
pub(crate) fn escape_time(symbol: &str) -> String {
    let body = "
  %a.i = getelementptr double, ptr %a, i64 %i
  %c = load double, ptr %a.i, !llvm.access.group !0
  br label %inner
inner:
  %z = phi double [ 0.0, %loop ], [ %z.next, %inner ]
  %n = phi i64 [ 0, %loop ], [ %n.next, %inner ]
  %z.square = fmul double %z, %z
  %z.next = fadd double %z.square, %c
  %n.next = add i64 %n, 1
  %inside = fcmp olt double %z.next, 2.0
  %more = icmp ult i64 %n.next, 1000
  %again = and i1 %inside, %more
  br i1 %again, label %inner, label %after
after:
  %count = uitofp i64 %n.next to double
  %o.i = getelementptr double, ptr %out, i64 %i
  store double %count, ptr %o.i, !llvm.access.group !0";
    items_kernel(symbol, &pointer_arguments(&["a", "out"]), body, "")
}
