//! What an embeddings server answers, checked.

use serde::Deserialize;

/// The answer to one request.
#[derive(Debug, Deserialize)]
pub(super) struct Embeddings {
    data: Vec<Embedding>,
}

#[derive(Debug, Deserialize)]
struct Embedding {
    /// Place of its text in the request; some servers leave it out and keep the order.
    index: Option<usize>,
    /// `null` is how some servers write a number that is none.
    embedding: Vec<Option<f64>>,
}

/// What was found and what was expected.
type Mismatch = (String, String);

impl Embeddings {
    /// Unit vectors in the order of the `texts` texts, row after row.
    ///
    /// Each has `dim` components, or as many as the first where that is not known.
    pub(super) fn into_rows(mut self, texts: usize, dim: Option<usize>) -> Result<Vec<f32>, Mismatch> {
        let found = self.data.len();
        if found != texts {
            return Err((format!("{found} vectors"), format!("{texts}, one a text")));
        }
        if self.data.iter().all(|row| row.index.is_none()) {
            (0..).zip(&mut self.data).for_each(|(place, row)| row.index = Some(place));
        }
        self.data.sort_by_key(|row| row.index);
        if let Some((i, row)) = self.data.iter().enumerate().find(|(i, row)| row.index != Some(*i)) {
            let found = row.index.map_or("no index".to_owned(), |index| format!("index {index}"));
            return Err((format!("{found} in the place of {i}"), format!("each from 0 to {} once", texts - 1)));
        }
        let dim = dim.or(self.data.first().map(|row| row.embedding.len())).unwrap_or_default();
        let mut rows = Vec::with_capacity(texts * dim);
        for (index, Embedding { embedding, .. }) in self.data.iter().enumerate() {
            let found = embedding.len();
            if found != dim || dim == 0 {
                return Err((format!("{found} components in vector {index}"), format!("{}", dim.max(1))));
            }
            rows.extend(unit(embedding).map_err(|found| {
                (format!("{found} in vector {index}"), "finite numbers that are not all zero".to_owned())
            })?);
        }
        Ok(rows)
    }
}

/// The vector divided by its length.
fn unit(vector: &[Option<f64>]) -> Result<impl Iterator<Item = f32>, String> {
    if let Some(place) = vector.iter().position(Option::is_none) {
        return Err(format!("null as component {place}"));
    }
    let length = vector.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    match length {
        0.0 => Err("only zeros".to_owned()),
        _ if !length.is_finite() => Err("a length beyond all numbers".to_owned()),
        _ => Ok(vector.iter().flatten().map(move |x| (x / length) as f32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(json: &str, texts: usize, dim: Option<usize>) -> Result<Vec<f32>, String> {
        let embeddings: Embeddings = serde_json::from_str(json).unwrap();
        embeddings.into_rows(texts, dim).map_err(|(found, expected)| format!("{found}; expected {expected}"))
    }

    #[test]
    fn rows_are_put_in_order_and_to_length_one() {
        let json = r#"{"data": [{"index": 1, "embedding": [0, -2]}, {"index": 0, "embedding": [3e200, 4e200]}]}"#;
        assert!(rows(json, 2, None).unwrap_err().contains("a length beyond all numbers in vector 0"));
        let json = r#"{"data": [{"index": 1, "embedding": [0, -2]}, {"index": 0, "embedding": [3e99, 4e99]}]}"#;
        assert_eq!(rows(json, 2, None), Ok(vec![0.6, 0.8, 0.0, -1.0]));
    }

    #[test]
    fn without_places_the_order_counts() {
        let json = r#"{"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}"#;
        assert_eq!(rows(json, 2, None), Ok(vec![1.0, 0.0, 0.0, 1.0]));
        let json = r#"{"data": [{"index": 1, "embedding": [1, 0]}, {"embedding": [0, 1]}]}"#;
        assert!(rows(json, 2, None).unwrap_err().contains("no index in the place of 0"));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (data, expected) in [
            ("", "0 vectors; expected 2, one a text"),
            (r#"{"index": 0, "embedding": [1, 0]}"#, "1 vectors; expected 2, one a text"),
            (
                r#"{"index": 1, "embedding": [1, 0]}, {"index": 1, "embedding": [1, 0]}"#,
                "index 1 in the place of 0; expected each from 0 to 1 once",
            ),
            (
                r#"{"index": 0, "embedding": [1, 0]}, {"index": 2, "embedding": [1, 0]}"#,
                "index 2 in the place of 1; expected each from 0 to 1 once",
            ),
            (
                r#"{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [1]}"#,
                "1 components in vector 1; expected 2",
            ),
            (r#"{"index": 0, "embedding": []}, {"index": 1, "embedding": []}"#, "0 components in vector 0; expected 2"),
            (
                r#"{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [0, 0.0]}"#,
                "only zeros in vector 1; expected finite numbers that are not all zero",
            ),
            (
                r#"{"index": 0, "embedding": [1, null]}, {"index": 1, "embedding": [1, 0]}"#,
                "null as component 1 in vector 0; expected finite numbers that are not all zero",
            ),
        ] {
            assert_eq!(rows(&format!(r#"{{"data": [{data}]}}"#), 2, Some(2)), Err(expected.to_owned()));
        }
        let empty = r#"{"data": [{"index": 0, "embedding": []}]}"#;
        assert_eq!(rows(empty, 1, None), Err("0 components in vector 0; expected 1".to_owned()));
    }
}
