//! The sizes in which pages, browsers and messengers show the owner's pictures.

use agio_brand::{BrandFile, BrandFileKind, FILE_BYTES_MAX, LOGO};
use agio_core::{Error, Result};
use agio_files::{FileRejection, MediaType, PIXELS_MAX};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::{self, FilterType};
use image::{DynamicImage, Rgba, RgbaImage};

/// The last one only where the picture has no transparent parts.
pub const ACCEPTED_MEDIA: &[MediaType] = &[MediaType::Png, MediaType::Webp, MediaType::Jpeg];

/// The logo is shown 32 px high; this is enough for four device pixels each.
const LOGO_MAX: (u32, u32) = (960, 128);
const LOGO_MIN: (u32, u32) = (32, 32);

/// Sides of the square pictures: browser tab, Apple's home screen, home screen, start screen.
const ICON_SIZES: [u32; 4] = [48, APPLE_SIZE, 192, 512];
/// Apple shows transparent parts black.
const APPLE_SIZE: u32 = 180;
const ICON_MIN: (u32, u32) = (180, 180);

const CARD: (u32, u32) = (1200, 630);
const CARD_MIN: (u32, u32) = (600, 315);

/// Side of the icon of a currency, and of the smallest picture for one.
const CURRENCY_ICON: u32 = 96;
const CURRENCY_ICON_MIN: u32 = 48;

const WHITE: Rgba<u8> = Rgba([0xff; 4]);
const TRANSPARENT: Rgba<u8> = Rgba([0; 4]);

/// The files of a picture.
///
/// # Errors
/// 422 `validation_failed` at `file`: `picture_too_small`, `picture_too_heavy`.
pub fn render(kind: BrandFileKind, picture: &DynamicImage) -> Result<Vec<BrandFile>> {
    let (width, height) = match kind {
        BrandFileKind::Logo => LOGO_MIN,
        BrandFileKind::Icon => ICON_MIN,
        BrandFileKind::Card => CARD_MIN,
    };
    if picture.width() < width || picture.height() < height {
        return Err(at_file(
            Error::unprocessable("validation_failed").with("width", width).with("height", height),
            "picture_too_small",
        ));
    }
    match kind {
        BrandFileKind::Logo => {
            let logo = shrink(picture, LOGO_MAX);
            let mut files = icons(kind, "logo-icon", picture)?;
            files.push(png(kind, LOGO, &logo.into_rgba8())?);
            Ok(files)
        }
        BrandFileKind::Icon => icons(kind, "icon", picture),
        BrandFileKind::Card => {
            let card = picture.resize_to_fill(CARD.0, CARD.1, FilterType::Lanczos3);
            let mut canvas = RgbaImage::from_pixel(CARD.0, CARD.1, WHITE);
            imageops::overlay(&mut canvas, &card.into_rgba8(), 0, 0);
            let mut bytes = Vec::new();
            let encoder = JpegEncoder::new_with_quality(&mut bytes, 85);
            DynamicImage::from(canvas).into_rgb8().write_with_encoder(encoder).map_err(Error::internal)?;
            Ok(vec![file(kind, "card.jpg", "image/jpeg", bytes)?])
        }
    }
}

/// The icon of a currency as a PNG: lists show it 32 px high.
///
/// # Errors
/// 422 `picture_too_small` at `file`.
pub fn currency_icon(picture: &DynamicImage) -> Result<Vec<u8>> {
    if picture.width() < CURRENCY_ICON_MIN || picture.height() < CURRENCY_ICON_MIN {
        let size = CURRENCY_ICON_MIN;
        return Err(at_file(
            Error::unprocessable("validation_failed").with("width", size).with("height", size),
            "picture_too_small",
        ));
    }
    encoded(&centred(picture, CURRENCY_ICON, TRANSPARENT))
}

/// Error for a picture that cannot be used.
pub fn refused(rejection: FileRejection) -> Error {
    let error = Error::unprocessable("validation_failed").with("max", PIXELS_MAX / 1_000_000);
    at_file(
        error,
        match rejection {
            FileRejection::UnsupportedType => "picture_type",
            FileRejection::Broken | FileRejection::Timeout => "picture_broken",
            FileRejection::TooManyPixels => "picture_too_many_pixels",
        },
    )
}

fn at_file(error: Error, code: &'static str) -> Error {
    error.at("file", code)
}

/// The picture in the middle of squares.
fn icons(kind: BrandFileKind, name: &str, picture: &DynamicImage) -> Result<Vec<BrandFile>> {
    let largest = shrink(picture, (512, 512));
    let square = |size: u32| {
        let canvas = centred(&largest, size, if size == APPLE_SIZE { WHITE } else { TRANSPARENT });
        png(kind, &format!("{name}-{size}.png"), &canvas)
    };
    ICON_SIZES.into_iter().map(square).collect()
}

/// The picture in the middle of a square.
fn centred(picture: &DynamicImage, size: u32, background: Rgba<u8>) -> RgbaImage {
    let fitted = picture.resize(size, size, FilterType::Lanczos3).into_rgba8();
    let mut canvas = RgbaImage::from_pixel(size, size, background);
    let (left, top) = ((size - fitted.width()) / 2, (size - fitted.height()) / 2);
    imageops::overlay(&mut canvas, &fitted, left.into(), top.into());
    canvas
}

/// The picture within these bounds. A smaller one stays as it is.
fn shrink(picture: &DynamicImage, (width, height): (u32, u32)) -> DynamicImage {
    let is_larger = picture.width() > width || picture.height() > height;
    if is_larger { picture.resize(width, height, FilterType::Lanczos3) } else { picture.clone() }
}

fn png(kind: BrandFileKind, name: &str, picture: &RgbaImage) -> Result<BrandFile> {
    file(kind, name, "image/png", encoded(picture)?)
}

fn encoded(picture: &RgbaImage) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, PngFilter::Adaptive);
    picture.write_with_encoder(encoder).map_err(Error::internal)?;
    Ok(bytes)
}

fn file(kind: BrandFileKind, name: &str, media_type: &str, bytes: Vec<u8>) -> Result<BrandFile> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(at_file(Error::unprocessable("validation_failed").with("max", FILE_BYTES_MAX / 1024), "picture_too_heavy"));
    }
    Ok(BrandFile::new(kind, name, media_type, bytes))
}
