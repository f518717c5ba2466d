//! Recognises files by content. Images are re-encoded, which removes everything but the pixels; a PDF is stored as it is and never
//! opened here.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::time::Instant;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

/// Maximum pixels of an image: 48 MB uncompressed.
pub const PIXELS_MAX: u64 = 16_000_000;

/// Maximum side of an image, in pixels.
const SIDE_MAX: u32 = 12_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    Jpeg,
    Png,
    Webp,
    Pdf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRejection {
    /// The type is not accepted or does not match the file name.
    UnsupportedType,
    /// The image is damaged.
    Broken,
    TooManyPixels,
    /// Decoding takes too long.
    Timeout,
}

/// A file ready to be stored.
#[derive(Debug)]
pub struct SanitizedFile {
    /// Type of the stored content.
    pub media: MediaType,
    /// Size in bytes.
    pub bytes: u64,
    pub content: File,
}

impl MediaType {
    /// The type by magic number.
    fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Self::Pdf),
            _ => None,
        }
    }

    /// MIME type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
        }
    }

    /// Whether the extension of a file name matches the type. A name without extension always matches.
    fn matches_name(self, name: &str) -> bool {
        let Some((_, extension)) = name.rsplit_once('.') else { return true };
        match extension.to_ascii_lowercase().as_str() {
            "jpg" | "jpeg" | "jfif" => self == Self::Jpeg,
            "png" => self == Self::Png,
            "webp" => self == Self::Webp,
            "pdf" => self == Self::Pdf,
            _ => false,
        }
    }
}

/// Checks a file and writes the re-encoded image to `target`. Blocks for a while for large images.
pub fn sanitize(
    name: &str,
    mut source: File,
    target: File,
    accepted: &[MediaType],
    deadline: Instant,
) -> Result<SanitizedFile, FileRejection> {
    let (media, content) = match recognise(name, &mut source, accepted)? {
        MediaType::Pdf => (MediaType::Pdf, source),
        MediaType::Png => (MediaType::Png, reencode(source, target, ImageFormat::Png, deadline)?),
        MediaType::Jpeg => (MediaType::Jpeg, reencode(source, target, ImageFormat::Jpeg, deadline)?),
        MediaType::Webp => (MediaType::Jpeg, reencode(source, target, ImageFormat::WebP, deadline)?),
    };
    let bytes = content.metadata().map_err(|_| FileRejection::Broken)?.len();
    Ok(SanitizedFile { media, bytes, content })
}

/// Checks a file and decodes it. Blocks for a while for large images.
pub fn decode_image(
    name: &str,
    mut source: File,
    accepted: &[MediaType],
    deadline: Instant,
) -> Result<DynamicImage, FileRejection> {
    let format = match recognise(name, &mut source, accepted)? {
        MediaType::Pdf => return Err(FileRejection::UnsupportedType),
        MediaType::Png => ImageFormat::Png,
        MediaType::Jpeg => ImageFormat::Jpeg,
        MediaType::Webp => ImageFormat::WebP,
    };
    decode(source, format, deadline)
}

/// The type of a file, if it is accepted and matches the name.
fn recognise(name: &str, source: &mut File, accepted: &[MediaType]) -> Result<MediaType, FileRejection> {
    let mut header = [0; 16];
    source.rewind().map_err(|_| FileRejection::Broken)?;
    let count = read_up_to(source, &mut header).map_err(|_| FileRejection::Broken)?;
    source.rewind().map_err(|_| FileRejection::Broken)?;
    MediaType::detect(&header[..count])
        .filter(|media| accepted.contains(media) && media.matches_name(name))
        .ok_or(FileRejection::UnsupportedType)
}

/// Fills a buffer until the end of the file.
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

/// Decodes an image within limits and applies its orientation.
fn decode(source: File, format: ImageFormat, deadline: Instant) -> Result<DynamicImage, FileRejection> {
    let mut reader = ImageReader::with_format(BufReader::new(TimedFile { file: source, deadline }), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(PIXELS_MAX * 4);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX {
        return Err(FileRejection::TooManyPixels);
    }
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(unreadable)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Decodes an image and encodes the pixels, as PNG for PNG and as JPEG otherwise.
fn reencode(source: File, target: File, format: ImageFormat, deadline: Instant) -> Result<File, FileRejection> {
    let picture = decode(source, format, deadline)?;
    let mut encoded = BufWriter::new(TimedFile { file: target, deadline });
    if format == ImageFormat::Png {
        let eight_bits = DynamicImage::ImageRgba8(picture.into_rgba8());
        eight_bits.write_with_encoder(PngEncoder::new(&mut encoded)).map_err(unreadable)?;
    } else {
        JpegEncoder::new_with_quality(&mut encoded, 85).encode_image(&picture.into_rgb8()).map_err(unreadable)?;
    }
    let encoded = encoded.into_inner().map_err(|error| unreadable(image::ImageError::IoError(error.into_error())))?;
    Ok(encoded.file)
}

fn unreadable(error: image::ImageError) -> FileRejection {
    match error {
        image::ImageError::Limits(_) => FileRejection::TooManyPixels,
        image::ImageError::IoError(error) if error.kind() == io::ErrorKind::TimedOut => FileRejection::Timeout,
        _ => FileRejection::Broken,
    }
}

/// A file with a deadline for all operations.
struct TimedFile {
    file: File,
    deadline: Instant,
}

impl TimedFile {
    fn check(&self) -> io::Result<()> {
        if Instant::now() < self.deadline { Ok(()) } else { Err(io::ErrorKind::TimedOut.into()) }
    }
}

impl Read for TimedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.file.read(buffer)
    }
}

impl Seek for TimedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.check()?;
        self.file.seek(to)
    }
}

impl Write for TimedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A display name: the last component of the browser's file name without unsafe characters; `default` if nothing is left.
pub fn shown_name(name: &str, default: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control() && !"\"<>|:*?;".contains(*c)).take(100).collect();
    if plain.trim().is_empty() { default.to_owned() } else { plain.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::time::Duration;

    use super::*;

    fn sanitize(name: &str, bytes: &[u8], accepted: &[MediaType]) -> Result<(MediaType, Vec<u8>), FileRejection> {
        sanitize_until(name, bytes, accepted, Instant::now() + Duration::from_secs(600))
    }

    fn sanitize_until(
        name: &str,
        bytes: &[u8],
        accepted: &[MediaType],
        deadline: Instant,
    ) -> Result<(MediaType, Vec<u8>), FileRejection> {
        let (mut source, target) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        source.write_all(bytes).unwrap();
        let mut sanitized = super::sanitize(name, source, target, accepted, deadline)?;
        let mut content = Vec::new();
        sanitized.content.rewind().unwrap();
        sanitized.content.read_to_end(&mut content).unwrap();
        assert_eq!(sanitized.bytes, content.len() as u64);
        Ok((sanitized.media, content))
    }

    const ALL: [MediaType; 4] = [MediaType::Jpeg, MediaType::Png, MediaType::Webp, MediaType::Pdf];

    fn image_bytes(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        DynamicImage::new_rgb8(40, 30).write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    #[test]
    fn data_after_the_image_is_removed() {
        let mut bytes = image_bytes(ImageFormat::Jpeg);
        bytes.extend_from_slice(b"<script>alert(1)</script>");
        let (media, content) = sanitize("check.JPG", &bytes, &ALL).unwrap();
        assert_eq!(media, MediaType::Jpeg);
        assert!(!content.windows(8).any(|window| window == b"<script>"));
        assert_eq!(image::load_from_memory(&content).unwrap().width(), 40);
    }

    #[test]
    fn every_type_is_accepted() {
        for (name, format, stored_as) in [
            ("a.png", ImageFormat::Png, MediaType::Png),
            ("a.webp", ImageFormat::WebP, MediaType::Jpeg),
            ("a.jpg", ImageFormat::Jpeg, MediaType::Jpeg),
        ] {
            let (media, content) = sanitize(name, &image_bytes(format), &ALL).unwrap();
            assert_eq!((media, MediaType::detect(&content)), (stored_as, Some(stored_as)), "{name}");
        }
        let document = b"%PDF-1.7 and what follows".as_slice();
        assert_eq!(sanitize("a.pdf", document, &ALL).unwrap(), (MediaType::Pdf, document.to_vec()));
    }

    #[test]
    fn decoding_has_a_deadline() {
        let deadline = Instant::now();
        assert_eq!(sanitize_until("a.png", &image_bytes(ImageFormat::Png), &ALL, deadline).err(), Some(FileRejection::Timeout));
    }

    #[test]
    fn a_mismatched_extension_is_rejected() {
        for name in ["check.png", "check.html", "check.jpg.svg", "check.pdf"] {
            let rejected = sanitize(name, &image_bytes(ImageFormat::Jpeg), &ALL).err();
            assert_eq!(rejected, Some(FileRejection::UnsupportedType), "{name}");
        }
        assert!(sanitize("photo", &image_bytes(ImageFormat::Jpeg), &ALL).is_ok());
        let rejected = sanitize("photo", &image_bytes(ImageFormat::Jpeg), &[MediaType::Png]).err();
        assert_eq!(rejected, Some(FileRejection::UnsupportedType), "a type that is not accepted here");
    }

    #[test]
    fn other_content_is_rejected() {
        for bytes in [b"".as_slice(), b"<svg/>", b"GIF89a", b"PK\x03\x04", b"MZ"] {
            assert_eq!(sanitize("a.png", bytes, &ALL).err(), Some(FileRejection::UnsupportedType));
        }
        let mut cut = image_bytes(ImageFormat::Png);
        cut.truncate(40);
        assert_eq!(sanitize("a.png", &cut, &ALL).err(), Some(FileRejection::Broken));
    }

    #[test]
    fn decompression_bombs_are_rejected() {
        // PNG headers that claim too many pixels, by one side or in total.
        for (width, height) in [(50_000_u32, 50_000_u32), (12_001, 1), (1, 12_001), (5_000, 4_000)] {
            let mut bomb = image_bytes(ImageFormat::Png);
            bomb[16..20].copy_from_slice(&width.to_be_bytes());
            bomb[20..24].copy_from_slice(&height.to_be_bytes());
            let crc = crc_of(&bomb[12..29]);
            bomb[29..33].copy_from_slice(&crc.to_be_bytes());
            assert_eq!(sanitize("a.png", &bomb, &ALL).err(), Some(FileRejection::TooManyPixels), "{width} x {height}");
        }
    }

    /// The check sum of a PNG chunk.
    fn crc_of(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
        })
    }

    #[test]
    fn display_names_are_sanitized() {
        assert_eq!(shown_name("../../etc/passwd", "receipt"), "passwd");
        assert_eq!(shown_name("C:\\чек\u{0} \"1\".pdf", "receipt"), "чек 1.pdf");
        assert_eq!(shown_name("///", "receipt"), "receipt");
    }
}
