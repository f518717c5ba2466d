//! The networks of all currencies and their journal.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Read as _, Result, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::chain::{Chain, Operation};

/// Start of every journal.
const BEGINS: &[u8] = b"{\"seed\":";

/// The networks by currency, created on first use.
#[derive(Debug)]
pub struct SandboxNetworks {
    origin: Origin,
    chains: BTreeMap<String, Chain>,
    journal: Option<File>,
    is_lost: bool,
}

/// First line of a journal.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Origin {
    seed: u64,
    balance: u64,
}

impl SandboxNetworks {
    /// Networks without a journal. `balance` is the initial balance of the exchange's wallet on each, in units.
    pub fn new(seed: u64, balance: u64) -> Self {
        Self { origin: Origin { seed, balance }, chains: BTreeMap::new(), journal: None, is_lost: false }
    }

    /// Networks with a journal. A new journal starts with `seed` and `balance`; an existing one has its own. An incomplete last line was never
    /// acknowledged and is removed.
    ///
    /// # Errors
    /// The file cannot be read or written, another process uses it, or a line is invalid.
    pub fn open(journal: &Path, seed: u64, balance: u64) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(journal)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(ErrorKind::ResourceBusy, "another process writes the journal"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        if !text.starts_with(&BEGINS[..text.len().min(BEGINS.len())]) {
            return Err(Error::new(ErrorKind::InvalidData, "line 1 of the journal: it begins otherwise than journals do"));
        }
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate();
        let origin = lines.next().map(|(number, line)| read_line::<Origin>(number, line)).transpose()?;
        let mut networks = origin.map_or_else(|| Self::new(seed, balance), |origin| Self::new(origin.seed, origin.balance));
        for (number, line) in lines {
            let (currency, act): (String, Operation) = read_line(number, line)?;
            networks.of(&currency).replay(act);
        }
        networks.chains.values_mut().for_each(|chain| drop(chain.take_operations()));
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        if origin.is_none() {
            file.write_all(line(&networks.origin)?.as_bytes())?;
            file.sync_data()?;
        }
        networks.journal = Some(file);
        Ok(networks)
    }

    /// The network of a currency. [`save`](Self::save) writes its changes to the journal.
    pub fn of(&mut self, currency: &str) -> &mut Chain {
        let Origin { seed, balance } = self.origin;
        let own = currency.bytes().fold(seed, |seed, byte| seed.rotate_left(7).wrapping_add(byte.into()));
        self.chains.entry(currency.to_owned()).or_insert_with(|| Chain::new(own, balance))
    }

    /// All networks with their currencies.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Chain)> {
        self.chains.iter().map(|(currency, chain)| (currency.as_str(), chain))
    }

    pub fn currency_of(&self, address: &str) -> Option<String> {
        self.all().find(|(_, chain)| chain.owns_address(address)).map(|(currency, _)| currency.to_owned())
    }

    /// Mines blocks on every network.
    pub fn mine(&mut self, blocks: u64) {
        self.chains.values_mut().for_each(|chain| chain.mine(blocks));
    }

    /// Writes the changes to the journal.
    ///
    /// # Errors
    /// Writing failed. All later calls fail too, because memory and journal differ.
    pub fn save(&mut self) -> Result<()> {
        if self.is_lost {
            return Err(Error::other("the journal could not be written before"));
        }
        let mut lines = String::new();
        for (currency, chain) in &mut self.chains {
            for act in chain.take_operations() {
                lines.push_str(&line(&(currency, act))?);
            }
        }
        let Some(journal) = self.journal.as_mut().filter(|_| !lines.is_empty()) else { return Ok(()) };
        let written = journal.write_all(lines.as_bytes()).and_then(|()| journal.sync_data());
        self.is_lost = written.is_err();
        written
    }
}

fn line(value: &impl Serialize) -> Result<String> {
    let mut line = serde_json::to_string(value).map_err(Error::other)?;
    line.push('\n');
    Ok(line)
}

fn read_line<'a, T: Deserialize<'a>>(number: usize, line: &'a [u8]) -> Result<T> {
    let unreadable = |error| Error::new(ErrorKind::InvalidData, format!("line {} of the journal: {error}", number + 1));
    serde_json::from_slice(line).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::chain::Output;

    /// Everything there is to know of networks, but where they are written down.
    fn life(networks: &SandboxNetworks) -> String {
        format!("{:?} {:?}", networks.origin, networks.chains)
    }

    fn lived(journal: &Path) -> SandboxNetworks {
        let mut networks = SandboxNetworks::open(journal, 7, 1_000_000).unwrap();
        let address = networks.of("ETH").address("a");
        let id = networks.of("ETH").pay(vec![Output { address, units: 500 }]);
        networks.of("BTC").send("k", Output { address: "them".into(), units: 5_000 }).unwrap();
        networks.mine(2);
        networks.of("ETH").reorganize(1, 50);
        networks.of("ETH").chance(100);
        networks.of("ETH").drop_transaction(&id);
        networks.save().unwrap();
        networks
    }

    #[test]
    fn networks_are_restored_from_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let before = lived(&journal);
        let expected = life(&before);
        drop(before);
        let mut again = SandboxNetworks::open(&journal, 8, 0).unwrap();
        assert_eq!(life(&again), expected, "a journal has its own seed and balance");
        again.mine(1);
        again.save().unwrap();
        let expected = life(&again);
        drop(again);
        assert_eq!(life(&SandboxNetworks::open(&journal, 8, 0).unwrap()), expected);
    }

    #[test]
    fn a_truncated_journal_keeps_its_complete_lines() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        drop(lived(&journal));
        let text = fs::read(&journal).unwrap();
        for end in 0..text.len() {
            fs::write(&journal, &text[..end]).unwrap();
            let mut networks = SandboxNetworks::open(&journal, 7, 1_000_000).unwrap();
            networks.of("ETH").mine(1);
            networks.save().unwrap();
            let expected = life(&networks);
            drop(networks);
            assert_eq!(life(&SandboxNetworks::open(&journal, 7, 1_000_000).unwrap()), expected, "torn at {end}");
        }
    }

    #[test]
    fn another_file_is_rejected_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        for (text, number) in
            [("hello", 1), ("hello\n", 1), ("{\"seed\":1,\"balance\":2}\n[\"ETH\",{\"fly\":1}]\n[\"ETH\",{\"mine\":1}]\n", 2)]
        {
            fs::write(&journal, text).unwrap();
            let refused = SandboxNetworks::open(&journal, 7, 0).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("line {number} of the journal")), "{refused}");
            assert_eq!(fs::read_to_string(&journal).unwrap(), text);
        }
    }

    #[test]
    fn a_journal_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let first = SandboxNetworks::open(&journal, 7, 0).unwrap();
        assert_eq!(SandboxNetworks::open(&journal, 7, 0).unwrap_err().kind(), ErrorKind::ResourceBusy);
        drop(first);
        SandboxNetworks::open(&journal, 7, 0).unwrap();
    }
}
