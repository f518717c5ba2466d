//! Limits on concurrent uploads and decoding.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use agio_core::networks::limit_key;
use agio_core::{Error, ErrorKind, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Images decoded at the same time; each needs up to 130 MB.
const DECODERS: usize = 2;

/// Images that may wait for a decoder.
const QUEUE_MAX: usize = 8;

/// Seconds until a rejected upload may be retried.
const RETRY_AFTER: u64 = 10;

/// Limits on uploads, shared by all modules that accept files.
pub struct UploadLimits {
    total: Arc<Semaphore>,
    per_address: usize,
    by_address: Mutex<HashMap<IpAddr, usize>>,
    queue: Arc<Semaphore>,
    decoders: Arc<Semaphore>,
}

impl UploadLimits {
    /// Maximum concurrent uploads in total and per address; for IPv6 per /64 network.
    pub fn new(total: u32, per_address: u32) -> Arc<Self> {
        let count = |count| usize::try_from(count).unwrap_or(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            total: Arc::new(Semaphore::new(count(total))),
            per_address: count(per_address),
            by_address: Mutex::default(),
            queue: Arc::new(Semaphore::new(DECODERS + QUEUE_MAX)),
            decoders: Arc::new(Semaphore::new(DECODERS)),
        })
    }

    /// Counts an upload until the permit is dropped.
    ///
    /// # Errors
    /// 429 `too_many_uploads` for the address; 503 `uploads_busy`.
    pub(crate) fn begin(self: &Arc<Self>, address: IpAddr) -> Result<UploadPermit> {
        let key = limit_key(address);
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = by_address.get(&key).copied().unwrap_or(0);
        if of_address >= self.per_address {
            return Err(Error::new(ErrorKind::TooManyRequests, "too_many_uploads").retry_after(RETRY_AFTER));
        }
        let total = self.total.clone().try_acquire_owned().map_err(|_| busy())?;
        by_address.insert(key, of_address + 1);
        Ok(UploadPermit { uploads: self.clone(), key, _total: total })
    }

    /// Waits for a decoder, unless too many are waiting.
    ///
    /// # Errors
    /// 503 `uploads_busy`.
    pub(crate) async fn decoder(&self) -> Result<DecoderPermit> {
        let queue = self.queue.clone().try_acquire_owned().map_err(|_| busy())?;
        let decoder = self.decoders.clone().acquire_owned().await.map_err(Error::internal)?;
        Ok(DecoderPermit { _queue: queue, _decoder: decoder })
    }
}

pub(crate) fn busy() -> Error {
    Error::new(ErrorKind::Unavailable, "uploads_busy").retry_after(RETRY_AFTER)
}

pub(crate) struct UploadPermit {
    uploads: Arc<UploadLimits>,
    key: IpAddr,
    _total: OwnedSemaphorePermit,
}

impl Drop for UploadPermit {
    fn drop(&mut self) {
        let mut by_address = self.uploads.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.key);
            }
        }
    }
}

pub(crate) struct DecoderPermit {
    _queue: OwnedSemaphorePermit,
    _decoder: OwnedSemaphorePermit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_limited_per_address_and_in_total() {
        let uploads = UploadLimits::new(3, 2);
        let begin = |address: &str| uploads.begin(address.parse().unwrap()).map_err(|error| error.code());
        let one = [begin("2001:db8::1").unwrap(), begin("2001:db8::2").unwrap()];
        assert_eq!(begin("2001:db8::3").err(), Some("too_many_uploads"));
        let other = begin("192.0.2.1").unwrap();
        assert_eq!(begin("192.0.2.2").err(), Some("uploads_busy"));
        drop(one);
        let _again = begin("2001:db8::3").unwrap();
        drop(other);
        assert_eq!(uploads.by_address.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn decoding_is_rejected_when_the_queue_is_full() {
        let uploads = UploadLimits::new(1, 1);
        let _decoding = [uploads.decoder().await.unwrap(), uploads.decoder().await.unwrap()];
        let mut waiting: Vec<_> = (0..QUEUE_MAX).map(|_| Box::pin(uploads.decoder())).collect();
        for turn in &mut waiting {
            assert!(futures_util::poll!(turn).is_pending());
        }
        let rejected = futures_util::poll!(Box::pin(uploads.decoder()));
        let std::task::Poll::Ready(Err(rejected)) = rejected else { panic!("it must not wait") };
        assert_eq!((rejected.code(), rejected.retry_after_seconds()), ("uploads_busy", Some(RETRY_AFTER)));
    }
}
