//! Which conversions between dtypes a call allows, by NumPy's names for the rules.
//!
//! Promotion chooses dtypes that hold everything; these rules are asked where the user chose one: by `out=`
//! or by `dtype=`.

use situ_ir::promotion::promote;
use situ_ir::{DType, DTypeKind};

/// How far a conversion may go, the strictest rule first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Casting {
    /// Nothing is converted.
    No,
    /// Only what keeps every value.
    Safe,
    /// What keeps every value, and what stays in the kind: `float64` may become `float32`.
    #[default]
    SameKind,
    /// Anything.
    Unsafe,
}

impl Casting {
    /// The rule with a name of NumPy's; it tells byte orders apart (`equiv`), which situ does not have.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "no" | "equiv" => Self::No,
            "safe" => Self::Safe,
            "same_kind" => Self::SameKind,
            "unsafe" => Self::Unsafe,
            _ => return None,
        })
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Safe => "safe",
            Self::SameKind => "same_kind",
            Self::Unsafe => "unsafe",
        }
    }

    /// Whether numbers of one dtype may become numbers of another.
    pub fn allows(self, from: DType, to: DType) -> bool {
        let is_safe = || promote(from, to) == to;
        match self {
            Self::No => from == to,
            Self::Safe => is_safe(),
            Self::SameKind => is_safe() || rank(from) <= rank(to),
            Self::Unsafe => true,
        }
    }
}

/// The order of kinds: a number of a lower kind is one of each higher kind too, sizes aside.
fn rank(dtype: DType) -> u8 {
    match dtype.kind() {
        DTypeKind::Bool => 0,
        DTypeKind::Unsigned => 1,
        DTypeKind::Signed => 2,
        DTypeKind::Float => 3,
        DTypeKind::Complex => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_conversions_keep_every_value() {
        assert!(Casting::Safe.allows(DType::I32, DType::F64));
        assert!(Casting::Safe.allows(DType::U8, DType::I16));
        assert!(!Casting::Safe.allows(DType::I32, DType::F32));
        assert!(!Casting::Safe.allows(DType::F64, DType::F32));
        assert!(!Casting::Safe.allows(DType::U8, DType::I8));
    }

    #[test]
    fn conversions_of_the_same_kind_may_narrow_but_not_drop_signs_or_fractions() {
        assert!(Casting::SameKind.allows(DType::F64, DType::F16));
        assert!(Casting::SameKind.allows(DType::U64, DType::I8));
        assert!(!Casting::SameKind.allows(DType::I64, DType::U64));
        assert!(!Casting::SameKind.allows(DType::F32, DType::I64));
        assert!(!Casting::SameKind.allows(DType::U8, DType::Bool));
        assert!(Casting::Unsafe.allows(DType::C128, DType::Bool));
        assert!(!Casting::No.allows(DType::F32, DType::F64));
    }

    #[test]
    fn every_rule_has_its_name() {
        let rules = [
            Casting::No,
            Casting::Safe,
            Casting::SameKind,
            Casting::Unsafe,
        ];
        for rule in rules {
            assert_eq!(Casting::from_name(rule.name()), Some(rule));
        }
        assert_eq!(Casting::from_name("anything"), None);
    }
}
