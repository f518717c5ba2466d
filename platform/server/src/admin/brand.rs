//! The brand: what makes the site and the emails the owner's.

use agio_brand::{Brand, BrandFileKind, BrandLink, BrandLinkKind, BrandUpdate, LOGO, Typeface, WorkDay, WorkWeek};
use agio_calculator::{MARKET_EDIT, SETTINGS_EDIT, SETTINGS_READ, settings};
use agio_core::Error;
use agio_core::identity::Actor;
use agio_core::texts::{Bilingual, Locale};
use agio_files::api::{FileUpload, PrivateFile};
use agio_http::{ApiEnum, ApiResult, Created, JsonBody, JsonResponse, StaffAuth, body};
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::types::Example;

use super::Tag;
use super::brand_pictures::{ACCEPTED_MEDIA, currency_icon, refused, render};
use crate::app::App;

pub struct BrandAdminApi(pub App);

/// A text in both languages. Empty texts are not shown.
#[body(shared)]
#[derive(Clone, Debug)]
struct BrandText {
    ru: String,
    en: String,
}

/// A link of the footer and the contact page.
#[body(shared)]
#[derive(Clone, Debug)]
struct BrandLinkItem {
    kind: ApiEnum<BrandLinkKind>,
    /// At most 40 characters.
    label: String,
    /// HTTPS.
    url: String,
}

/// Working hours of a day. Both times are empty on a day off.
#[body(shared)]
#[derive(Clone, Debug)]
struct BrandWorkDay {
    /// `HH:MM`.
    from: String,
    /// `HH:MM`. Before `from` it is on the next day; equal times mean 24 hours.
    to: String,
}

/// Working hours in local time. Pages show them, and whether they are running now.
#[body(shared)]
#[derive(Clone, Debug)]
struct BrandWorkWeek {
    /// IANA name, such as `Europe/Moscow`; required with working hours.
    time_zone: String,
    /// Seven, Monday first, or none.
    days: Vec<BrandWorkDay>,
}

/// Name, contacts and look of the exchange.
#[body(shared, example)]
#[derive(Clone, Debug)]
struct BrandDetails {
    /// At most 40 characters.
    site_name: String,
    /// Address for customers.
    support_email: String,
    /// Languages of the site, the default first.
    languages: Vec<ApiEnum<Locale>>,
    /// One sentence for the footer and search engines, at most 160 characters.
    description: BrandText,
    /// `#rrggbb`; empty for the default. Text on it has a contrast of at least 4.5, and it has at least 3 with the page.
    accent: String,
    /// Accent of the dark theme; empty for the same.
    accent_dark: String,
    /// Typeface of the site.
    typeface: ApiEnum<Typeface>,
    /// User name; empty for none.
    telegram: String,
    /// Phone number; empty for none.
    phone: String,
    work_week: BrandWorkWeek,
    /// Note on the working hours, at most 100 characters.
    hours: BrandText,
    /// Last lines of the footer, at most 500 characters.
    note: BrandText,
    /// At most 12.
    links: Vec<BrandLinkItem>,
    /// Whether the logo contains the name, so that pages do not repeat it.
    logo_has_name: bool,
    /// Whether the footer names the software.
    shows_software: bool,
}

/// The brand with its uploaded pictures.
#[body(response)]
#[derive(Debug)]
struct BrandView {
    /// Current revision; send it with a change.
    revision: i64,
    brand: BrandDetails,
    /// Kinds of pictures that were uploaded.
    pictures: Vec<ApiEnum<BrandFileKind>>,
}

/// An uploaded icon.
#[body(response)]
#[derive(Debug)]
struct UploadedCurrencyIcon {
    /// The name of the icon: a currency has it as its `icon`.
    icon: String,
}

/// A brand update.
#[body(request)]
#[derive(Debug)]
struct UpdateBrandRequest {
    /// Current revision; 409 if it is stale.
    revision: i64,
    brand: BrandDetails,
}

impl Example for BrandDetails {
    fn example() -> Self {
        let text = |ru: &str, en: &str| BrandText { ru: ru.to_owned(), en: en.to_owned() };
        let link =
            |kind, label: &str, url: &str| BrandLinkItem { kind: ApiEnum(kind), label: label.to_owned(), url: url.to_owned() };
        Self {
            site_name: "Obmen".to_owned(),
            support_email: "help@obmen.example".to_owned(),
            languages: vec![ApiEnum(Locale::Ru), ApiEnum(Locale::En)],
            description: text("Обмен криптовалют на рубли за пятнадцать минут.", "Crypto to roubles within fifteen minutes."),
            accent: "#0f766e".to_owned(),
            accent_dark: "#5eead4".to_owned(),
            typeface: ApiEnum(Typeface::Geologica),
            telegram: "obmen_support".to_owned(),
            phone: "+7 999 123-45-67".to_owned(),
            work_week: BrandWorkWeek {
                time_zone: "Europe/Moscow".to_owned(),
                days: vec![BrandWorkDay { from: "09:00".to_owned(), to: "21:00".to_owned() }; 7],
            },
            hours: text("В праздники отвечаем дольше", "Answers take longer on public holidays"),
            note: text("ООО «Обмен»", "Obmen LLC"),
            links: vec![
                link(BrandLinkKind::Social, "Telegram", "https://t.me/obmen_news"),
                link(BrandLinkKind::Review, "BestChange", "https://www.bestchange.com/obmen-exchanger.html"),
            ],
            logo_has_name: false,
            shows_software: false,
        }
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Brand")]
impl BrandAdminApi {
    /// Get the brand
    ///
    /// Needs `settings.read`.
    #[oai(path = "/brand", method = "get", operation_id = "getBrand")]
    async fn get_brand(&self, staff: StaffAuth) -> ApiResult<JsonResponse<BrandView>> {
        staff.require(SETTINGS_READ)?;
        Ok(JsonResponse(self.view()))
    }

    /// Update the brand
    ///
    /// Takes effect at once on pages, in emails and on other nodes. Needs `settings.edit` and a fresh second factor:
    /// customers ask the contacts where to pay.
    #[oai(path = "/brand", method = "put", operation_id = "updateBrand")]
    async fn update_brand(&self, staff: StaffAuth, update: JsonBody<UpdateBrandRequest>) -> ApiResult<JsonResponse<BrandView>> {
        let by = staff.require(SETTINGS_EDIT)?;
        staff.require_fresh()?;
        let UpdateBrandRequest { revision, brand } = update.0;
        let (site_name, support_email) = (brand.site_name.clone(), brand.support_email.clone());
        let names: Vec<_> = brand.languages.iter().map(|language| language.0.to_string()).collect();
        let languages = names.join(" ");
        settings::check(settings::LANGUAGES, &languages)
            .map_err(|_| Error::unprocessable("validation_failed").at("languages", "setting_invalid"))?;
        let update = BrandUpdate { revision, site_name, support_email, languages, brand: brand.into() };
        self.0.brands.update(update, Actor::from(&by)).await?;
        Ok(JsonResponse(self.view()))
    }

    /// Get a brand picture
    ///
    /// The largest size of it. Needs `settings.read`.
    #[oai(path = "/brand/pictures/:kind", method = "get", operation_id = "getBrandPicture")]
    async fn get_picture(&self, staff: StaffAuth, kind: Path<String>) -> ApiResult<PrivateFile> {
        staff.require(SETTINGS_READ)?;
        let name = match read_kind(&kind.0)? {
            BrandFileKind::Logo => LOGO,
            BrandFileKind::Icon => "icon-512.png",
            BrandFileKind::Card => "card.jpg",
        };
        let current = self.0.brands.current();
        let file = current.file(name).ok_or_else(|| Error::not_found("picture_not_found"))?;
        Ok(PrivateFile { name: file.name.clone(), media_type: file.media_type.clone(), bytes: file.content.to_vec() })
    }

    /// Upload a brand picture
    ///
    /// PNG or WebP, for the link preview also JPEG. It is re-encoded in the sizes that pages need. Needs
    /// `settings.edit` and a fresh second factor.
    #[oai(path = "/brand/pictures/:kind", method = "put", operation_id = "uploadBrandPicture")]
    async fn upload_picture(&self, staff: StaffAuth, kind: Path<String>, file: FileUpload) -> ApiResult<JsonResponse<BrandView>> {
        let by = staff.require(SETTINGS_EDIT)?;
        staff.require_fresh()?;
        let kind = read_kind(&kind.0)?;
        let pictures = &self.0.pictures;
        let file = file.receive(pictures).await?;
        let accepted = if kind == BrandFileKind::Card { ACCEPTED_MEDIA } else { &ACCEPTED_MEDIA[..2] };
        let files = pictures.edit_image(file, accepted, refused, move |picture| render(kind, &picture)).await?;
        self.0.brands.replace_files(kind, files, &by).await?;
        Ok(JsonResponse(self.view()))
    }

    /// Upload a currency icon
    ///
    /// PNG or WebP, re-encoded as a square PNG. Set its name as the `icon` of a currency; the site serves it as
    /// `/brand/NAME.png`. Needs `market.edit`.
    #[oai(path = "/currency-icons", method = "post", operation_id = "uploadCurrencyIcon")]
    async fn upload_currency_icon(&self, staff: StaffAuth, file: FileUpload) -> ApiResult<Created<UploadedCurrencyIcon>> {
        let staff = staff.require(MARKET_EDIT)?;
        let pictures = &self.0.pictures;
        let file = file.receive(pictures).await?;
        let content = pictures.edit_image(file, &ACCEPTED_MEDIA[..2], refused, |picture| currency_icon(&picture)).await?;
        let icon = self.0.brands.add_currency_icon(content, &staff).await?;
        Ok(Created { body: UploadedCurrencyIcon { icon }, cookie: None })
    }

    /// Delete a brand picture
    ///
    /// Pages show the default again. Needs `settings.edit`.
    #[oai(path = "/brand/pictures/:kind", method = "delete", operation_id = "deleteBrandPicture")]
    async fn delete_picture(&self, staff: StaffAuth, kind: Path<String>) -> ApiResult<JsonResponse<BrandView>> {
        let staff = staff.require(SETTINGS_EDIT)?;
        self.0.brands.delete_files(read_kind(&kind.0)?, &staff).await?;
        Ok(JsonResponse(self.view()))
    }
}

impl BrandAdminApi {
    fn view(&self) -> BrandView {
        let (brands, current) = (&self.0.brands, self.0.brands.current());
        let brand = current.brand.clone();
        let text = |text: Bilingual| BrandText { ru: text.ru, en: text.en };
        let link = |link: BrandLink| BrandLinkItem { kind: ApiEnum(link.kind), label: link.label, url: link.url };
        let days = brand.work_week.days.into_iter().map(|WorkDay { from, to }| BrandWorkDay { from, to }).collect();
        let has = |kind: &BrandFileKind| current.files.iter().any(|file| file.kind == *kind);
        BrandView {
            revision: current.revision,
            brand: BrandDetails {
                site_name: brands.site_name(),
                support_email: brands.support_email(),
                languages: settings::site_languages(&self.0.platform.settings).iter().copied().map(ApiEnum).collect(),
                description: text(brand.description),
                accent: brand.accent,
                accent_dark: brand.accent_dark,
                typeface: ApiEnum(brand.typeface),
                telegram: brand.telegram,
                phone: brand.phone,
                work_week: BrandWorkWeek { time_zone: brand.work_week.time_zone, days },
                hours: text(brand.hours),
                note: text(brand.note),
                links: brand.links.into_iter().map(link).collect(),
                logo_has_name: brand.logo_has_name,
                shows_software: brand.shows_software,
            },
            pictures: BrandFileKind::ALL.into_iter().filter(has).map(ApiEnum).collect(),
        }
    }
}

fn read_kind(name: &str) -> agio_core::Result<BrandFileKind> {
    name.parse().map_err(|_| Error::not_found("picture_not_found"))
}

impl From<BrandDetails> for Brand {
    fn from(details: BrandDetails) -> Self {
        let text = |text: BrandText| Bilingual { ru: text.ru, en: text.en };
        let link = |link: BrandLinkItem| BrandLink { kind: link.kind.0, label: link.label, url: link.url };
        let days = details.work_week.days.into_iter().map(|BrandWorkDay { from, to }| WorkDay { from, to }).collect();
        Self {
            description: text(details.description),
            accent: details.accent,
            accent_dark: details.accent_dark,
            typeface: details.typeface.0,
            telegram: details.telegram,
            phone: details.phone,
            work_week: WorkWeek { time_zone: details.work_week.time_zone, days },
            hours: text(details.hours),
            note: text(details.note),
            links: details.links.into_iter().map(link).collect(),
            logo_has_name: details.logo_has_name,
            shows_software: details.shows_software,
        }
    }
}
