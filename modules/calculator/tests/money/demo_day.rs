//! The rate files of the demo day.

use agio_calculator::model::observation::Observation;
use agio_contracts::RateFile;
use agio_core::Timestamp;

use crate::generators::NumberGenerator;

const FILES: [&[u8]; 3] = [
    include_bytes!("../../demo/rates/ecb-2024-03-28.xml"),
    include_bytes!("../../demo/rates/cbr-2024-03-28.xml"),
    include_bytes!("../../demo/rates/currency-api-usd-2024-03-28.json"),
];

fn read(file: &[u8]) -> Result<RateFile, String> {
    agio_test_app::rate_files().read(file, Timestamp::parse("2024-03-28T12:00:00Z").expect("a moment"))
}

/// Every observation of the demo day.
pub fn demo_day() -> Vec<Observation> {
    let files = FILES.map(|file| read(file).expect("a published file"));
    let prices_of_files = files.iter().flat_map(|file| file.prices.iter().map(|price| (&file.source, price)));
    let observation = |(source, price): (&String, &agio_contracts::FilePrice)| Observation {
        source: source.clone(),
        base: price.base.clone(),
        quote: price.quote.clone(),
        bid: price.bid,
        ask: price.ask,
        observed_at: price.observed_at.parse().expect("a day"),
    };
    prices_of_files.map(observation).collect()
}

#[test]
fn a_changed_byte_is_refused_or_gives_prices_never_worse() {
    let mut dice = NumberGenerator::new(9);
    for file in FILES {
        for _ in 0..2000 {
            let mut bytes = file.to_vec();
            let place = dice.below(file.len() as u64) as usize;
            bytes[place] = dice.below(256) as u8;
            if let Ok(read) = read(&bytes) {
                assert!(read.prices.iter().all(|price| !price.bid.is_zero() && price.bid <= price.ask), "byte {place}");
            }
        }
    }
}
