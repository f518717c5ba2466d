//! Rendering of Markdown as HTML.
//!
//! Protected twice against injected code: HTML inside the Markdown is shown as text, links lead to https, mail or this
//! site, and images are dropped; then the result is sanitized with a short list of allowed elements.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use agio_core::texts::Locale;
use ammonia::UrlRelative;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

use super::Placeholders;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Article,
    /// Third-level headings are expandable questions.
    Questions,
}

/// Longest heading id, in characters.
const ID_MAX: usize = 60;

/// Path prefixes that get no language prefix.
const UNPREFIXED: [&str; 4] = ["/en/", "/docs", "/openapi", "/licenses"];

/// Minimum number of headings for a table of contents.
const CONTENTS_FROM: usize = 3;

/// Stand for the placeholders while Markdown is parsed, which treats braces after headings as attributes.
const SITE_MARK: &str = "\u{e000}";
const SUPPORT_MARK: &str = "\u{e001}";

/// Renders sanitized HTML.
pub fn render(markdown: &str, layout: Layout, locale: Locale, names: &Placeholders) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_HEADING_ATTRIBUTES;
    let marked = markdown.replace("{site}", SITE_MARK).replace("{support}", SUPPORT_MARK);
    let plain = Parser::new_ext(&marked, options).collect::<Vec<_>>();
    let mut rewriter =
        EventRewriter { layout, locale, names, taken: HashMap::new(), contents: Vec::new(), depth: 0, in_answer: false };
    let events = rewriter.rewrite(plain);
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    format!("{}{}", contents(&rewriter.contents, locale), clean(&aligned(&body)))
}

/// Rewrites parser events.
struct EventRewriter<'a> {
    layout: Layout,
    locale: Locale,
    names: &'a Placeholders,
    /// Uses of each id.
    taken: HashMap<String, usize>,
    /// Second-level headings: id and text.
    contents: Vec<(String, String)>,
    /// Open elements.
    depth: usize,
    in_answer: bool,
}

impl<'a> EventRewriter<'a> {
    fn rewrite<'e>(&mut self, events: Vec<Event<'e>>) -> Vec<Event<'e>> {
        let mut written = Vec::with_capacity(events.len());
        let mut link_is_dropped = false;
        let mut question = None;
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Start(Tag::Heading { level, id, .. }) => {
                    let level = (*level).clamp(HeadingLevel::H2, HeadingLevel::H4);
                    let words = self.words(&events[at + 1..]);
                    let id = self.identifier(id.as_deref(), &words);
                    let is_question = self.layout == Layout::Questions && level == HeadingLevel::H3 && self.depth == 0;
                    if level <= HeadingLevel::H3 && self.depth == 0 {
                        self.end_answer(&mut written);
                    }
                    if level == HeadingLevel::H2 {
                        self.contents.push((id.clone(), words));
                    }
                    if is_question {
                        written.push(raw("<details><summary>"));
                        question = Some(id.clone());
                    }
                    let id = (!is_question).then(|| CowStr::from(id));
                    written.push(Event::Start(Tag::Heading { level, id, classes: Vec::new(), attrs: Vec::new() }));
                    self.depth += 1;
                }
                Event::End(TagEnd::Heading(level)) => {
                    self.depth = self.depth.saturating_sub(1);
                    written.push(Event::End(TagEnd::Heading((*level).clamp(HeadingLevel::H2, HeadingLevel::H4))));
                    if let Some(id) = question.take() {
                        // The anchor is inside, so that following a link to it opens the question.
                        written.push(raw(&format!("</summary><div id=\"{id}\">")));
                        self.in_answer = true;
                    }
                }
                Event::Start(Tag::Link { link_type, dest_url, title, .. }) => {
                    let target = if *link_type == LinkType::Email { Some(dest_url.to_string()) } else { self.target(dest_url) };
                    link_is_dropped = target.is_none();
                    if let Some(target) = target {
                        let (link_type, title) = (*link_type, title.clone());
                        let id = CowStr::from("");
                        written.push(Event::Start(Tag::Link { link_type, dest_url: target.into(), title, id }));
                    }
                }
                Event::End(TagEnd::Link) => {
                    if !std::mem::take(&mut link_is_dropped) {
                        written.push(event.clone());
                    }
                }
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
                Event::Start(Tag::HtmlBlock) => written.push(Event::Start(Tag::Paragraph)),
                Event::End(TagEnd::HtmlBlock) => written.push(Event::End(TagEnd::Paragraph)),
                Event::Html(text) | Event::InlineHtml(text) => written.push(Event::Text(self.named(text).into())),
                Event::Text(text) => written.push(Event::Text(self.named(text).into())),
                Event::Code(text) => written.push(Event::Code(self.named(text).into())),
                Event::Start(_) => {
                    self.depth += 1;
                    written.push(event.clone());
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    written.push(event.clone());
                }
                other => written.push(other.clone()),
            }
        }
        self.end_answer(&mut written);
        written
    }

    /// Fills in the placeholders.
    fn named(&self, text: &str) -> String {
        text.replace(SITE_MARK, &self.names.site).replace(SUPPORT_MARK, &self.names.support)
    }

    fn end_answer(&mut self, written: &mut Vec<Event<'_>>) {
        if std::mem::take(&mut self.in_answer) {
            written.push(raw("</div></details>\n"));
        }
    }

    /// Text of the heading these events start with.
    fn words(&self, events: &[Event<'_>]) -> String {
        let heading = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = heading
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(self.named(text)),
                _ => None,
            })
            .collect();
        words.trim().to_owned()
    }

    /// A unique id. It contains a hyphen, so that it cannot shadow a global variable of a script.
    fn identifier(&mut self, wanted: Option<&str>, words: &str) -> String {
        let mut id = String::new();
        for c in wanted.unwrap_or(words).chars().flat_map(char::to_lowercase).take(ID_MAX) {
            if c.is_alphanumeric() {
                id.push(c);
            } else if !id.is_empty() && !id.ends_with('-') {
                id.push('-');
            }
        }
        let mut id = id.trim_end_matches('-').to_owned();
        if !id.contains('-') {
            id.insert_str(0, "s-");
        }
        let count = self.taken.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 { format!("{id}--{count}") } else { id }
    }

    /// Target of a link; `None` if it is not allowed.
    fn target(&self, link: &str) -> Option<String> {
        let link = self.named(link);
        let is_prefixed = link.starts_with('/') && !UNPREFIXED.iter().any(|path| link.starts_with(path));
        if is_inside(&link) && is_prefixed && self.locale == Locale::En {
            return Some(if link == "/" { "/en".to_owned() } else { format!("/en{link}") });
        }
        (is_inside(&link) || link.starts_with("https://") || link.starts_with("mailto:")).then_some(link)
    }
}

/// Whether a link stays on this site.
fn is_inside(link: &str) -> bool {
    let from_root = link.strip_prefix('/').is_some_and(|rest| !rest.starts_with(['/', '\\']));
    (from_root || link.starts_with('#')) && !link.chars().any(|c| c.is_control() || c == '\\')
}

fn raw<'e>(markup: &str) -> Event<'e> {
    Event::Html(markup.to_owned().into())
}

/// Replaces inline styles of cells, which the CSP blocks, with `align`.
fn aligned(body: &str) -> Cow<'_, str> {
    if !body.contains(" style=\"text-align") {
        return Cow::Borrowed(body);
    }
    let mut aligned = body.to_owned();
    for cell in ["td", "th"] {
        for side in ["left", "center", "right"] {
            let (styled, plain) = (format!("<{cell} style=\"text-align: {side}\">"), format!("<{cell} align=\"{side}\">"));
            aligned = aligned.replace(&styled, &plain);
        }
    }
    Cow::Owned(aligned)
}

/// Sanitizes HTML.
fn clean(body: &str) -> String {
    let sides = HashSet::from(["left", "center", "right"]);
    ammonia::Builder::empty()
        .add_tags([
            "p",
            "br",
            "strong",
            "em",
            "del",
            "a",
            "ul",
            "ol",
            "li",
            "h2",
            "h3",
            "h4",
            "hr",
            "blockquote",
            "code",
            "pre",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "details",
            "summary",
            "div",
        ])
        .add_tag_attributes("a", ["href", "title"])
        .add_tag_attributes("ol", ["start"])
        .add_tag_attributes("h2", ["id"])
        .add_tag_attributes("h3", ["id"])
        .add_tag_attributes("h4", ["id"])
        .add_tag_attributes("div", ["id"])
        .tag_attribute_values(HashMap::from([
            ("td", HashMap::from([("align", sides.clone())])),
            ("th", HashMap::from([("align", sides)])),
        ]))
        .add_clean_content_tags(["script", "style"])
        .url_schemes(HashSet::from(["https", "mailto"]))
        .url_relative(UrlRelative::Custom(Box::new(kept_inside)))
        .link_rel(Some("noopener"))
        .clean(body)
        .to_string()
}

fn kept_inside(link: &str) -> Option<Cow<'_, str>> {
    is_inside(link).then_some(Cow::Borrowed(link))
}

fn contents(parts: &[(String, String)], locale: Locale) -> String {
    if parts.len() < CONTENTS_FROM {
        return String::new();
    }
    let label = match locale {
        Locale::Ru => "Содержание",
        Locale::En => "Contents",
    };
    let items: String =
        parts.iter().map(|(id, words)| format!("<li><a href=\"#{id}\">{}</a></li>", ammonia::clean_text(words))).collect();
    format!("<nav aria-label=\"{label}\"><ul>{items}</ul></nav>\n")
}

#[cfg(test)]
mod tests;
