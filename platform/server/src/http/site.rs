//! A built site, served from memory: hashed files are cached forever, pages are revalidated, and each is sent in the
//! best encoding.
//!
//! The files come from the folder of the site or from the binary ([`embedded_sites`](super::embedded_sites)).

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use agio_calculator::settings::{chat_origin, embed_ancestors};
use agio_captcha::{CaptchaWidget, ContentSources};
use agio_core::markup::escape;
use agio_core::settings::Settings;
use agio_core::{Error, Result};
use agio_http::{Effort, Negotiation, PreparedBody};
use bytes::Bytes;
use poem::http::{Method, StatusCode, header};
use poem::{Request, Response};

use super::languages::offered_address;
use super::page_content::{FilledPages, PageContentProvider, PageRoute, PageRoutes};

pub struct Site {
    files: HashMap<String, Arc<Asset>>,
    /// Pages whose content may change at run time.
    filled_pages: Option<FilledPages>,
    routes: Option<Arc<dyn PageRoutes>>,
    /// Pages that are rendered in the browser.
    shells: &'static [Shell],
    policy: Policy,
    widget: Option<CaptchaWidget>,
    /// Name the support chat that pages may frame.
    settings: Option<Settings>,
    is_closed: Option<Box<IsClosed>>,
}

/// Whether nothing can be exchanged now. Asked whenever the home page is delivered.
pub type IsClosed = dyn Fn() -> bool + Send + Sync;

/// The home page, and the one that is delivered in its place while nothing can be exchanged.
const HOME: &str = "index.html";
const OPENING: &str = "opening.html";

/// The calculator that other sites may frame. It takes no session and nothing can be confirmed in it.
const EMBED: &str = "embed/index.html";
const EMBED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                            base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/// Paths below `prefix` without a file of their own get the file `shell`.
pub struct Shell {
    pub prefix: &'static str,
    pub shell: &'static str,
}

/// Returns the embedded files of a site, keyed by their path.
pub type EmbeddedFiles = dyn Fn() -> Vec<(String, Bytes)>;

/// What a site's pages may load.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Nothing inline at all.
    Strict,
    /// Styles and scripts with the nonce of this response.
    Nonce,
}

pub(super) struct Asset {
    content_type: &'static str,
    body: PreparedBody,
}

const NONCE_SLOT: &str = "__CSP_NONCE__";

/// The placeholder of the origin.
pub(super) const ORIGIN_SLOT: &str = "https://origin.invalid";

impl Site {
    /// The site in its folder, or else the copy in this binary, or else an empty site.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn open(folder: &Path, embedded: &EmbeddedFiles, shells: &'static [Shell], policy: Policy) -> Result<Self> {
        let mut bytes = HashMap::new();
        if folder.is_dir() {
            read_folder(folder, folder, &mut bytes)?;
        } else {
            bytes.extend(embedded());
        }
        if bytes.is_empty() {
            tracing::warn!(folder = %folder.display(), "no built site is in this folder or in this program, so its visitors get no pages: install a program made by `make dist`, or run `make sites` and name the folder in [sites]");
        }
        Ok(Self {
            files: assets(&bytes),
            filled_pages: None,
            routes: None,
            shells,
            policy,
            widget: None,
            settings: None,
            is_closed: None,
        })
    }

    /// Sets the origin of canonical links, language links and the sitemap.
    #[must_use]
    pub fn with_origin(mut self, origin: &str) -> Self {
        let origin = escape(origin.trim_end_matches('/'));
        for asset in self.files.values_mut() {
            let Some(text) = asset.text().filter(|text| text.contains(ORIGIN_SLOT)) else { continue };
            *asset = Arc::new(Asset::written(asset.content_type, text.replace(ORIGIN_SLOT, &origin)));
        }
        self
    }

    /// Allows the captcha widget of this provider.
    #[must_use]
    pub fn with_captcha(self, widget: Option<CaptchaWidget>) -> Self {
        Self { widget, ..self }
    }

    /// Fills pages with content that changes at run time. The providers fill each in this order.
    #[must_use]
    pub fn with_page_content(mut self, providers: Vec<Arc<dyn PageContentProvider>>) -> Self {
        self.filled_pages = Some(FilledPages::new(providers, &self.files));
        self
    }

    /// Adds pages beyond the files of the build. They need [`Site::with_page_content`].
    #[must_use]
    pub fn with_routes(self, routes: Arc<dyn PageRoutes>) -> Self {
        Self { routes: Some(routes), ..self }
    }

    /// Allows framing of the support chat that these settings name.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = Some(settings);
        self
    }

    /// Delivers another home page while nothing can be exchanged.
    #[must_use]
    pub fn with_opening(self, is_closed: Box<IsClosed>) -> Self {
        Self { is_closed: Some(is_closed), ..self }
    }

    pub fn is_built(&self) -> bool {
        !self.files.is_empty()
    }

    /// `path` is relative to the root of the site, without a leading slash.
    pub fn respond(&self, request: &Request, path: &str, nonce: &str) -> Response {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Response::builder().status(StatusCode::METHOD_NOT_ALLOWED).finish();
        }
        if !self.is_built() {
            return Response::builder()
                .status(StatusCode::SERVICE_UNAVAILABLE)
                .content_type("text/plain; charset=utf-8")
                .body("The sites are not built. Run `make run`, or `npm ci && npm run build`.\n");
        }
        if let Some(address) = self.settings.as_ref().and_then(|settings| offered_address(settings, request, path)) {
            return found_elsewhere(request, &address);
        }
        let route = self.routes.as_ref().and_then(|routes| routes.find(path));
        let path = path.trim_end_matches('/');
        let (status, name) = match route {
            Some(PageRoute::Redirect(path)) => return moved(request, &path),
            Some(PageRoute::Missing) => missing(path),
            Some(route) => match self.routed_page(&route) {
                Some((name, page)) => return self.send(request, &page, name, StatusCode::OK, nonce),
                None => missing(path),
            },
            None => self.find(path),
        };
        let name = self.opening_page(&name).unwrap_or(name);
        let filled = self.filled_pages.as_ref().and_then(|filled_pages| filled_pages.page(&name));
        match filled.or_else(|| self.files.get(&name).cloned()) {
            Some(asset) => self.send(request, &asset, &name, status, nonce),
            None => Response::builder()
                .status(StatusCode::NOT_FOUND)
                .content_type("text/plain; charset=utf-8")
                .body("404 | page not found"),
        }
    }

    /// A page of the routes with its name.
    fn routed_page<'r>(&self, route: &'r PageRoute) -> Option<(&'r str, Arc<Asset>)> {
        let pages = self.filled_pages.as_ref()?;
        match route {
            PageRoute::Page { name, template } => Some((name, pages.routed_page(name, template)?)),
            PageRoute::Composed { name, template } => Some((name, pages.composed_page(name, template, self.routes.as_deref()?)?)),
            PageRoute::Redirect(_) | PageRoute::Missing => None,
        }
    }

    /// What is delivered in place of a home page while nothing can be exchanged.
    fn opening_page(&self, name: &str) -> Option<String> {
        let folder = name.strip_suffix(HOME).filter(|folder| ["", "en/"].contains(folder))?;
        self.is_closed.as_ref().filter(|is_closed| is_closed())?;
        Some(format!("{folder}{OPENING}")).filter(|page| self.files.contains_key(page))
    }

    /// The file of a path: the file itself, its page, its shell, or the page for 404.
    fn find(&self, path: &str) -> (StatusCode, String) {
        let page = if path.is_empty() { "index.html".to_owned() } else { format!("{path}/index.html") };
        for name in [path.to_owned(), page] {
            if self.files.contains_key(&name) {
                return (StatusCode::OK, name);
            }
        }
        let below = |prefix: &str| {
            path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/') || prefix.is_empty())
        };
        if let Some(shell) = self.shells.iter().find(|shell| below(shell.prefix)) {
            return (StatusCode::OK, shell.shell.to_owned());
        }
        missing(path)
    }

    fn send(&self, request: &Request, asset: &Asset, name: &str, status: StatusCode, nonce: &str) -> Response {
        let lasting = name.starts_with("assets/");
        let mut response = Response::builder()
            .status(status)
            .content_type(asset.content_type)
            .header(header::CACHE_CONTROL, if lasting { "public, max-age=31536000, immutable" } else { "no-cache" });
        if asset.is_page() {
            response = response.header(header::CONTENT_SECURITY_POLICY, self.policy_of(name, nonce));
            if self.policy == Policy::Nonce {
                let text = String::from_utf8_lossy(asset.body.plain()).replace(NONCE_SLOT, nonce);
                return response.body(text);
            }
        }
        asset.body.send(&Negotiation::of(request.headers()), response.finish())
    }

    fn policy_of(&self, name: &str, nonce: &str) -> String {
        if name == EMBED {
            let ancestors = self.settings.as_ref().map_or_else(|| "*".to_owned(), embed_ancestors);
            return format!("{EMBED_POLICY}; frame-ancestors {ancestors}");
        }
        let common = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";
        match self.policy {
            Policy::Strict => {
                let chat = self.settings.as_ref().and_then(chat_origin);
                let widget = self.widget.map(CaptchaWidget::sources);
                let frames: Vec<_> = widget.as_ref().map(|sources| sources.frames).into_iter().chain(chat.as_deref()).collect();
                // The account frames the calculator for other sites.
                let framed = if frames.is_empty() { String::new() } else { format!("; frame-src {} 'self'", frames.join(" ")) };
                match widget {
                    None => format!("{common}{framed}; require-trusted-types-for 'script'"),
                    // The scripts of captcha providers violate trusted types.
                    Some(ContentSources { scripts, styles, calls, .. }) => format!(
                        "{common}{framed}; script-src 'self' {scripts}; style-src 'self' {styles}; connect-src 'self' {calls}"
                    ),
                }
            }
            Policy::Nonce => format!("{common}; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'"),
        }
    }
}

impl Asset {
    /// A file that was changed after the build.
    pub(super) fn written(content_type: &'static str, text: String) -> Self {
        Self { content_type, body: PreparedBody::new(text.into(), Effort::Good) }
    }

    /// One of many pages of a template, most of which are sent once.
    pub(super) fn composed(content_type: &'static str, text: String) -> Self {
        Self { content_type, body: PreparedBody::new(text.into(), Effort::Fast) }
    }

    pub(super) fn is_page(&self) -> bool {
        self.content_type.starts_with("text/html")
    }

    /// The text of a page, style sheet, manifest, sitemap or text file; `None` for other files.
    pub(super) fn text(&self) -> Option<&str> {
        let kinds = ["text/html", "text/css", "text/plain", "application/xml", "application/manifest+json"];
        let is_ours = kinds.iter().any(|kind| self.content_type.starts_with(kind));
        is_ours.then(|| std::str::from_utf8(self.body.plain()).ok()).flatten()
    }

    pub(super) fn content_type(&self) -> &'static str {
        self.content_type
    }
}

/// The page for 404.
fn missing(path: &str) -> (StatusCode, String) {
    let name = if path == "en" || path.starts_with("en/") { "en/404.html" } else { "404.html" };
    (StatusCode::NOT_FOUND, name.to_owned())
}

/// A redirect that holds until the owner or the visitor chooses another language.
fn found_elsewhere(request: &Request, path: &str) -> Response {
    let query = request.uri().query().map_or_else(String::new, |query| format!("?{query}"));
    Response::builder()
        .status(StatusCode::FOUND)
        .header(header::LOCATION, format!("{path}{query}"))
        .header(header::CACHE_CONTROL, "no-store")
        .header(header::VARY, "cookie")
        .finish()
}

/// A permanent redirect that keeps the query, such as a referral link's.
fn moved(request: &Request, path: &str) -> Response {
    let query = request.uri().query().map_or_else(String::new, |query| format!("?{query}"));
    Response::builder()
        .status(StatusCode::MOVED_PERMANENTLY)
        .header(header::LOCATION, format!("{path}{query}"))
        .header(header::CACHE_CONTROL, "no-cache")
        .finish()
}

/// Reads all files below a folder, keyed by their path.
fn read_folder(root: &Path, folder: &Path, files: &mut HashMap<String, Bytes>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Error::internal)? {
        let path = entry.map_err(Error::internal)?.path();
        if path.is_dir() {
            read_folder(root, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(root).map_err(Error::internal)?.to_string_lossy().replace('\\', "/");
        files.insert(name, fs::read(&path).map_err(Error::internal)?.into());
    }
    Ok(())
}

/// The files with their compressed copies, of which some have no more than these.
fn assets(files: &HashMap<String, Bytes>) -> HashMap<String, Arc<Asset>> {
    let mut assets = HashMap::new();
    for (file, bytes) in files {
        let copy_of = file.strip_suffix(".gz");
        let name = copy_of.unwrap_or(file);
        let copy = |ending| files.get(&format!("{name}.{ending}")).cloned();
        let body = match copy_of {
            Some(name) if files.contains_key(name) => continue,
            Some(_) => PreparedBody::compressed(copy("br"), bytes.clone()),
            None if file.ends_with(".br") => continue,
            None => PreparedBody::with_copies(bytes.clone(), copy("br"), copy("gz")),
        };
        assets.insert(name.to_owned(), Arc::new(Asset { content_type: content_type(Path::new(name)), body }));
    }
    assets
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn body(site: &Site, path: &str, encodings: &str) -> (Option<String>, Vec<u8>) {
        let request = Request::builder().header(header::ACCEPT_ENCODING, encodings).finish();
        let response = site.respond(&request, path, "");
        let encoding = response.header(header::CONTENT_ENCODING).map(str::to_owned);
        (encoding, response.into_body().into_vec().await.expect("a body"))
    }

    #[tokio::test]
    async fn a_file_of_which_the_binary_has_copies_alone_is_sent_to_everyone() {
        let script = "export default 1;".repeat(100);
        let whole = PreparedBody::new(script.clone().into(), Effort::Good);
        let gzip = |text: &[u8]| {
            let mut gzip = flate2::read::GzEncoder::new(text, flate2::Compression::best());
            let mut copy = Vec::new();
            std::io::Read::read_to_end(&mut gzip, &mut copy).expect("it is in memory");
            copy
        };
        let copy = gzip(whole.plain());
        let files = vec![
            ("assets/a.js.gz".to_owned(), Bytes::from(copy.clone())),
            ("assets/a.js.br".to_owned(), Bytes::from_static(b"brotli")),
            ("empty.html.gz".to_owned(), Bytes::from(gzip(b""))),
        ];
        let site = Site::open(Path::new("/dev/null/none"), &move || files.clone(), &[], Policy::Strict).expect("a site");
        assert_eq!(body(&site, "assets/a.js", "gzip, br").await, (Some("br".to_owned()), b"brotli".to_vec()));
        assert_eq!(body(&site, "assets/a.js", "gzip").await, (Some("gzip".to_owned()), copy));
        assert_eq!(body(&site, "assets/a.js", "identity").await, (None, script.into_bytes()));
        assert_eq!(body(&site, "empty.html", "identity").await, (None, Vec::new()));
        assert!(!site.files.contains_key("assets/a.js.gz") && !site.files.contains_key("assets/a.js.br"));
    }
}
