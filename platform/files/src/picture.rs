//! What a file may be, by its content: a picture, which is drawn anew so that nothing but the picture is kept, or a PDF,
//! which is kept as it is and never opened here.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::time::Instant;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

/// The most pixels a picture may have: more than any screen, and 48 MB once unpacked.
pub const PIXELS_MAX: u64 = 16_000_000;

/// The longest side a picture may have.
const SIDE_MAX: u32 = 12_000;

/// The types of file that are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    Webp,
    /// PDF.
    Pdf,
}

/// Why a file is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is of another type, or of one that its name denies.
    Type,
    /// It is no whole picture.
    Broken,
    /// It has more pixels than [`PIXELS_MAX`].
    TooManyPixels,
    /// It takes too long.
    TooSlow,
}

/// A file ready to be kept.
#[derive(Debug)]
pub struct Cleaned {
    /// What it is kept as.
    pub media: Media,
    /// How long it is.
    pub bytes: u64,
    /// What is kept.
    pub content: File,
}

impl Media {
    /// The type of a file by how it begins.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Self::Pdf),
            _ => None,
        }
    }

    /// The media type in HTTP.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
        }
    }

    /// Whether a file name's ending belongs to the type; a name without an ending does not contradict.
    fn agrees_with(self, name: &str) -> bool {
        let Some((_, ending)) = name.rsplit_once('.') else { return true };
        match ending.to_ascii_lowercase().as_str() {
            "jpg" | "jpeg" | "jfif" => self == Self::Jpeg,
            "png" => self == Self::Png,
            "webp" => self == Self::Webp,
            "pdf" => self == Self::Pdf,
            _ => false,
        }
    }
}

/// Checks a file and makes of it what may be kept, in `target`. It takes a while for a large picture: call it off the async threads.
///
/// # Errors
/// Why it is not taken.
pub fn clean(name: &str, mut source: File, target: File, taken: &[Media], until: Instant) -> Result<Cleaned, Refusal> {
    let mut beginning = [0; 16];
    source.rewind().map_err(|_| Refusal::Broken)?;
    let count = read_up_to(&mut source, &mut beginning).map_err(|_| Refusal::Broken)?;
    let media =
        Media::of(&beginning[..count]).filter(|media| taken.contains(media) && media.agrees_with(name)).ok_or(Refusal::Type)?;
    source.rewind().map_err(|_| Refusal::Broken)?;
    let (media, content) = match media {
        Media::Pdf => (media, source),
        Media::Png => (media, redrawn(source, target, ImageFormat::Png, until)?),
        Media::Jpeg => (media, redrawn(source, target, ImageFormat::Jpeg, until)?),
        Media::Webp => (Media::Jpeg, redrawn(source, target, ImageFormat::WebP, until)?),
    };
    let bytes = content.metadata().map_err(|_| Refusal::Broken)?.len();
    Ok(Cleaned { media, bytes, content })
}

/// Fills a buffer as far as the file goes.
fn read_up_to(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match file.read(&mut buffer[count..])? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

/// Unpacks a picture within limits, turns it the way its camera meant it, and packs the bare pixels. What is not PNG is
/// packed as JPEG.
fn redrawn(source: File, target: File, format: ImageFormat, until: Instant) -> Result<File, Refusal> {
    let mut reader = ImageReader::with_format(BufReader::new(Timed { file: source, until }), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(PIXELS_MAX * 4);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX {
        return Err(Refusal::TooManyPixels);
    }
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(unreadable)?;
    picture.apply_orientation(orientation);
    let mut drawn = BufWriter::new(Timed { file: target, until });
    if format == ImageFormat::Png {
        let eight_bits = DynamicImage::ImageRgba8(picture.into_rgba8());
        eight_bits.write_with_encoder(PngEncoder::new(&mut drawn)).map_err(unreadable)?;
    } else {
        JpegEncoder::new_with_quality(&mut drawn, 85).encode_image(&picture.into_rgb8()).map_err(unreadable)?;
    }
    let drawn = drawn.into_inner().map_err(|error| unreadable(image::ImageError::IoError(error.into_error())))?;
    Ok(drawn.file)
}

fn unreadable(error: image::ImageError) -> Refusal {
    match error {
        image::ImageError::Limits(_) => Refusal::TooManyPixels,
        image::ImageError::IoError(error) if error.kind() == io::ErrorKind::TimedOut => Refusal::TooSlow,
        _ => Refusal::Broken,
    }
}

/// A file that can be used until a time is over.
struct Timed {
    file: File,
    until: Instant,
}

impl Timed {
    fn check(&self) -> io::Result<()> {
        if Instant::now() < self.until { Ok(()) } else { Err(io::ErrorKind::TimedOut.into()) }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.file.read(buffer)
    }
}

impl Seek for Timed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.check()?;
        self.file.seek(to)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A name to show: the last part of what the browser said, without anything a screen or a header would stumble over; `nameless`
/// where nothing is left of it.
#[must_use]
pub fn shown_name(name: &str, nameless: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control() && !"\"<>|:*?;".contains(*c)).take(100).collect();
    if plain.trim().is_empty() { nameless.to_owned() } else { plain.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::time::Duration;

    use super::*;

    /// What becomes of these bytes, as a file.
    fn clean(name: &str, bytes: &[u8], taken: &[Media]) -> Result<(Media, Vec<u8>), Refusal> {
        clean_until(name, bytes, taken, Instant::now() + Duration::from_secs(600))
    }

    fn clean_until(name: &str, bytes: &[u8], taken: &[Media], until: Instant) -> Result<(Media, Vec<u8>), Refusal> {
        let (mut source, target) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        source.write_all(bytes).unwrap();
        let mut cleaned = super::clean(name, source, target, taken, until)?;
        let mut kept = Vec::new();
        cleaned.content.rewind().unwrap();
        cleaned.content.read_to_end(&mut kept).unwrap();
        assert_eq!(cleaned.bytes, kept.len() as u64);
        Ok((cleaned.media, kept))
    }

    const ALL: [Media; 4] = [Media::Jpeg, Media::Png, Media::Webp, Media::Pdf];

    fn picture(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        DynamicImage::new_rgb8(40, 30).write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    #[test]
    fn a_picture_is_kept_without_what_was_behind_it() {
        let mut bytes = picture(ImageFormat::Jpeg);
        bytes.extend_from_slice(b"<script>alert(1)</script>");
        let (media, kept) = clean("check.JPG", &bytes, &ALL).unwrap();
        assert_eq!(media, Media::Jpeg);
        assert!(!kept.windows(8).any(|window| window == b"<script>"));
        assert_eq!(image::load_from_memory(&kept).unwrap().width(), 40);
    }

    #[test]
    fn every_type_is_kept() {
        for (name, format, kept_as) in [
            ("a.png", ImageFormat::Png, Media::Png),
            ("a.webp", ImageFormat::WebP, Media::Jpeg),
            ("a.jpg", ImageFormat::Jpeg, Media::Jpeg),
        ] {
            let (media, kept) = clean(name, &picture(format), &ALL).unwrap();
            assert_eq!((media, Media::of(&kept)), (kept_as, Some(kept_as)), "{name}");
        }
        let document = b"%PDF-1.7 and what follows".as_slice();
        assert_eq!(clean("a.pdf", document, &ALL).unwrap(), (Media::Pdf, document.to_vec()));
    }

    #[test]
    fn a_picture_is_not_worked_on_for_ever() {
        let until = Instant::now();
        assert_eq!(clean_until("a.png", &picture(ImageFormat::Png), &ALL, until).err(), Some(Refusal::TooSlow));
    }

    #[test]
    fn a_name_that_says_something_else_is_refused() {
        for name in ["check.png", "check.html", "check.jpg.svg", "check.pdf"] {
            let refused = clean(name, &picture(ImageFormat::Jpeg), &ALL).err();
            assert_eq!(refused, Some(Refusal::Type), "{name}");
        }
        assert!(clean("photo", &picture(ImageFormat::Jpeg), &ALL).is_ok());
        let refused = clean("photo", &picture(ImageFormat::Jpeg), &[Media::Png]).err();
        assert_eq!(refused, Some(Refusal::Type), "a type that is not taken here");
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for bytes in [b"".as_slice(), b"<svg/>", b"GIF89a", b"PK\x03\x04", b"MZ"] {
            assert_eq!(clean("a.png", bytes, &ALL).err(), Some(Refusal::Type));
        }
        let mut cut = picture(ImageFormat::Png);
        cut.truncate(40);
        assert_eq!(clean("a.png", &cut, &ALL).err(), Some(Refusal::Broken));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        // PNG headers that claim more pixels than may be, by their sides, or though each side is short enough.
        for (width, height) in [(50_000_u32, 50_000_u32), (12_001, 1), (1, 12_001), (5_000, 4_000)] {
            let mut bomb = picture(ImageFormat::Png);
            bomb[16..20].copy_from_slice(&width.to_be_bytes());
            bomb[20..24].copy_from_slice(&height.to_be_bytes());
            let crc = crc_of(&bomb[12..29]);
            bomb[29..33].copy_from_slice(&crc.to_be_bytes());
            assert_eq!(clean("a.png", &bomb, &ALL).err(), Some(Refusal::TooManyPixels), "{width} x {height}");
        }
    }

    /// The check sum of a PNG chunk.
    fn crc_of(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
        })
    }

    #[test]
    fn names_are_only_for_showing() {
        assert_eq!(shown_name("../../etc/passwd", "receipt"), "passwd");
        assert_eq!(shown_name("C:\\чек\u{0} \"1\".pdf", "receipt"), "чек 1.pdf");
        assert_eq!(shown_name("///", "receipt"), "receipt");
    }
}
