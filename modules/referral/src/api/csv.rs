//! The referral history as CSV.

use agio_core::money::plain;
use agio_http::csv_file::CsvFile;

use crate::service::ReferralHistory;
use crate::service::units;

/// Every cell is a code, a number or a timestamp, so nothing needs quoting.
pub fn csv_of(history: &ReferralHistory) -> CsvFile {
    let mut table = String::from("id,kind,amount,currency,status,createdAt\r\n");
    for line in &history.lines {
        let amount = plain(units(line.units, line.scale));
        let cells = [line.id.to_string(), line.kind.to_string(), amount, history.currency.clone(), line.status.to_string()];
        table.push_str(&cells.join(","));
        table.push_str(&format!(",{}\r\n", line.created_at));
    }
    CsvFile::new("attachment; filename=referral.csv", table)
}
