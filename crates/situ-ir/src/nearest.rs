//! "Did you mean ...?": the known name closest to one that is not known.
//!
//! Every layer that reads names written by people asks here, so that they all guess alike.

/// The candidate closest to `name`, if it is close enough to be a slip of the fingers.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Any two one-letter names are one slip apart; only their case is worth a guess.
    let limit = match name.chars().count() {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, candidate)| (*distance, *candidate))
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour to turn one word into the other.
/// A change of case counts as nothing, so that `Sin` finds `sin` first. Only the beginning of long
/// words counts.
pub fn distance(left: &str, right: &str) -> usize {
    const LONGEST: usize = 60;
    let letters = |word: &str| -> Vec<char> { word.to_lowercase().chars().take(LONGEST).collect() };
    let (left, right) = (letters(left), letters(right));
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            let is_swap = i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b;
            if is_swap {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_slips_of_the_fingers() {
        let names = ["total", "out", "get_global_id", "get_local_id"];
        assert_eq!(nearest("totla", names), Some("total"));
        assert_eq!(nearest("volume", names), None);
        assert_eq!(nearest("get_globel_id", names), Some("get_global_id"));
        assert_eq!(nearest("Out", names), Some("out"));
    }

    #[test]
    fn distance_counts_slips() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("form", "from"), 1);
        assert_eq!(distance("SIN", "sin"), 0);
    }

    #[test]
    fn nearest_does_not_guess_between_unlike_names() {
        assert_eq!(nearest("a", ["b", "c"]), None);
        assert_eq!(nearest("A", ["b", "a"]), Some("a"));
        assert_eq!(nearest("velocity", ["position", "mass"]), None);
    }
}
