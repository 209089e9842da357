//! Charts hold what they are given, and refuse what cannot be drawn.

use super::*;

fn estimate(value: f64) -> Estimate {
    Estimate { value, interval: Some((value - 0.5, value + 0.25)) }
}

fn bars(values: [f64; 2]) -> Bars {
    Bars {
        titles: Titles { chart: "Kites & <others>".into(), x: "category".into(), y: "Hit@1".into() },
        groups: vec!["the share of the session in a turn".into(), "b".into()],
        series: vec![BarSeries { name: "fused".into(), values: values.map(estimate).to_vec() }],
        references: vec![Reference { label: "BM25".into(), value: 1.0 }],
        notes: vec!["+13.5 pp".into(), String::new()],
        decimals: 1,
    }
}

fn lines(points: &[(f64, f64)]) -> Lines {
    let points: Vec<Point> = points.iter().map(|&(x, y)| Point { x, y: estimate(y) }).collect();
    Lines {
        marks: points.iter().take(1).map(|&point| Mark { point, label: "best".into() }).collect(),
        series: vec![LineSeries { name: "fused".into(), points }],
        ..Lines::default()
    }
}

#[test]
fn every_word_is_in_the_document() {
    let svg = bars([1.5, 2.5]).draw().unwrap().svg;
    for word in
        ["Kites &amp; &lt;others&gt;", "category", "Hit@1", "fused", "BM25", "+13.5 pp", "1.5", "2.5", "session"]
    {
        assert!(svg.contains(word), "{word}: {svg}");
    }
    let svg = lines(&[(0.0, 1.0), (1.0, 2.0)]).draw().unwrap().svg;
    assert!(svg.contains("best") && svg.contains("polyline"), "{svg}");
}

#[test]
fn drawing_twice_gives_the_same() {
    assert_eq!(bars([-1.0, 1.0]).draw().unwrap(), bars([-1.0, 1.0]).draw().unwrap());
    assert!(lines(&[(2.0, 2.0)]).draw().is_ok(), "one point has an axis around it");
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let message = |chart: Bars| chart.draw().unwrap_err().to_string();
    assert!(message(bars([f64::NAN, 1.0])).contains("series \"fused\": found NaN; expected finite numbers"));
    assert!(message(Bars { series: Vec::new(), ..bars([1.0, 1.0]) }).contains("found no series"));
    assert!(message(Bars { groups: Vec::new(), ..bars([1.0, 1.0]) }).contains("found no groups"));
    assert!(message(Bars { groups: vec!["a".into()], ..bars([1.0, 1.0]) }).contains("has 2 values; expected 1"));
    let series = vec![bars([1.0, 1.0]).series[0].clone(); 7];
    assert!(message(Bars { series, ..bars([1.0, 1.0]) }).contains("found 7 series; expected at most 6"));
    assert!(lines(&[]).draw().unwrap_err().to_string().contains("found no points"));
    assert!(lines(&[(f64::INFINITY, 1.0)]).draw().is_err());
}
