//! The built sites as part of the binary. The feature `built-in-sites` includes them and needs all of them to be built.
//!
//! What is sent as it was built is there in its compressed copies alone: it would be a tenth of the binary.

use bytes::Bytes;

/// The files of the public site; none without the feature.
pub fn public() -> Vec<(String, Bytes)> {
    #[cfg(feature = "built-in-sites")]
    return embedded::files::<embedded::Public>();
    #[cfg(not(feature = "built-in-sites"))]
    Vec::new()
}

/// The files of the console; none without the feature.
pub fn console() -> Vec<(String, Bytes)> {
    #[cfg(feature = "built-in-sites")]
    return embedded::files::<embedded::Console>();
    #[cfg(not(feature = "built-in-sites"))]
    Vec::new()
}

/// The files of the help; none without the feature.
pub fn help() -> Vec<(String, Bytes)> {
    #[cfg(feature = "built-in-sites")]
    return embedded::files::<embedded::Help>();
    #[cfg(not(feature = "built-in-sites"))]
    Vec::new()
}

#[cfg(feature = "built-in-sites")]
mod embedded {
    use std::borrow::Cow;

    use bytes::Bytes;
    use rust_embed::RustEmbed;

    #[derive(RustEmbed)]
    #[folder = "$CARGO_MANIFEST_DIR/../../public-web/dist"]
    #[exclude = "assets/*.js"]
    pub struct Public;

    #[derive(RustEmbed)]
    #[folder = "$CARGO_MANIFEST_DIR/../../admin-web/dist"]
    #[exclude = "assets/*.js"]
    pub struct Console;

    #[derive(RustEmbed)]
    #[folder = "$CARGO_MANIFEST_DIR/../../docs/dist"]
    #[exclude = "*.html"]
    #[exclude = "*.js"]
    pub struct Help;

    pub fn files<Site: RustEmbed>() -> Vec<(String, Bytes)> {
        let named = Site::iter().filter_map(|name| Some((name.to_string(), Site::get(&name)?.data)));
        let bytes = named.map(|(name, data)| match data {
            Cow::Borrowed(data) => (name, Bytes::from_static(data)),
            Cow::Owned(data) => (name, data.into()),
        });
        bytes.collect()
    }
}
