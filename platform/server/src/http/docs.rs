//! The documentation: the published documents, and a page that reads them out. The page is plain HTML and CSS made when
//! it is first asked for, so that it works offline and under the strictest policy.

use std::sync::LazyLock;

use agio_core::markup::escaped;
use agio_core::texts::Locale;
use poem::Response;
use poem::http::{StatusCode, header};
use serde_json::Value;

use crate::openapi::{AllowedMethods, Documents};

const STYLE: &str = include_str!("docs.css");

/// The documents and their pages.
pub struct Docs(LazyLock<Made, Box<dyn FnOnce() -> Made + Send>>);

struct Made {
    public: Document,
    console: Document,
    partner: Document,
    /// The partners' page with the guide in Russian.
    partner_ru: String,
    allowed: AllowedMethods,
}

struct Document {
    json: String,
    page: String,
}

impl Docs {
    /// The pages of the documents.
    #[must_use]
    pub fn new(documents: impl FnOnce() -> Documents + Send + 'static) -> Self {
        let document = |spec: &Value| Document { json: crate::openapi::text(spec), page: page(spec, Locale::En, "") };
        Self(LazyLock::new(Box::new(move || {
            let documents = documents();
            let guided = |locale| page(&documents.partner, locale, &agio_partners::guide(locale));
            Made {
                public: document(&documents.public),
                console: document(&documents.console),
                partner: Document { json: crate::openapi::text(&documents.partner), page: guided(Locale::En) },
                partner_ru: guided(Locale::Ru),
                allowed: AllowedMethods::of(&documents),
            }
        })))
    }

    /// The methods an address takes, as `Allow` says them.
    #[must_use]
    pub fn allowed(&self, path: &str) -> &str {
        self.0.allowed.at(path).unwrap_or("GET, HEAD")
    }

    /// Answers a request below `/docs` or `/openapi`.
    #[must_use]
    pub fn respond(&self, path: &str) -> Response {
        match path.trim_end_matches('/') {
            "/docs" => html(&self.0.public.page),
            "/docs/admin" => html(&self.0.console.page),
            "/docs/partner" => html(&self.0.partner.page),
            "/docs/partner/ru" => html(&self.0.partner_ru),
            "/docs/docs.css" => file("text/css; charset=utf-8", STYLE),
            "/openapi/public.json" => file("application/json", &self.0.public.json),
            "/openapi/admin.json" => file("application/json", &self.0.console.json),
            "/openapi/partner.json" => file("application/json", &self.0.partner.json),
            _ => Response::builder().status(StatusCode::NOT_FOUND).content_type("text/plain").body("404 | page not found"),
        }
    }
}

fn html(page: &str) -> Response {
    Response::builder()
        .content_type("text/html; charset=utf-8")
        .header(header::CACHE_CONTROL, "no-cache")
        .header(
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
        )
        .body(page.to_owned())
}

fn file(content_type: &str, text: &str) -> Response {
    Response::builder().content_type(content_type).header(header::CACHE_CONTROL, "no-cache").body(text.to_owned())
}

/// A page that reads a document out, after a guide where it has one.
fn page(spec: &Value, locale: Locale, guide: &str) -> String {
    let title = escaped(spec["info"]["title"].as_str().unwrap_or_default());
    let about = escaped(spec["info"]["description"].as_str().unwrap_or_default());
    let (mut contents, mut body) = (String::new(), String::new());
    for (id, heading) in headings(guide) {
        contents.push_str(&format!("<li><a href=\"#{id}\">{heading}</a></li>"));
    }
    for (path, operations) in spec["paths"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let id = escaped(operation["operationId"].as_str().unwrap_or_default());
            let summary = escaped(operation["summary"].as_str().unwrap_or_default());
            contents.push_str(&format!("<li><a href=\"#{id}\">{summary}</a></li>"));
            body.push_str(&operation_section(&id, &summary, method, path, operation));
        }
    }
    for (name, schema) in spec["components"]["schemas"].as_object().into_iter().flatten() {
        body.push_str(&schema_section(name, schema));
    }
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
        <title>{title}</title><link rel=\"icon\" href=\"/favicon.svg\"><link rel=\"stylesheet\" href=\"/docs/docs.css\"></head><body>\
        <nav aria-label=\"Operations\"><p class=\"brand\">{title}</p><ul>{contents}</ul></nav>\
        <main><h1>{title}</h1><p>{about}</p><p><a href=\"/openapi/public.json\">public.json</a> · <a href=\"/openapi/admin.json\">admin.json</a> · \
        <a href=\"/openapi/partner.json\">partner.json</a> · <a href=\"/docs\">Public API</a> · <a href=\"/docs/admin\">Console API</a> · \
        <a href=\"/docs/partner\">Partner API</a> · <a href=\"/docs/partner/ru\" lang=\"ru\">Партнёрам, по-русски</a></p><div lang=\"{locale}\">{guide}</div>{body}</main></body></html>"
    )
}

/// The sections of a guide: what each is called in links, and its heading.
fn headings(guide: &str) -> impl Iterator<Item = (&str, &str)> {
    guide.split("<section id=\"").skip(1).filter_map(|section| {
        let (id, rest) = section.split_once("\"><h2>")?;
        Some((id, rest.split_once("</h2>")?.0))
    })
}

fn operation_section(id: &str, summary: &str, method: &str, path: &str, operation: &Value) -> String {
    let about = escaped(operation["description"].as_str().unwrap_or_default());
    let mut section = format!(
        "<section id=\"{id}\"><h2>{summary}</h2><p class=\"call\"><b class=\"{method}\">{}</b> <code>{}</code></p><p>{about}</p>",
        method.to_uppercase(),
        escaped(path)
    );
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !parameters.is_empty() {
        section.push_str("<h3>Parameters</h3><table><tbody>");
        for parameter in parameters {
            section.push_str(&row(
                parameter["name"].as_str().unwrap_or_default(),
                &format!("{}, {}", parameter["in"].as_str().unwrap_or_default(), type_of(&parameter["schema"])),
                parameter["description"].as_str().unwrap_or_default(),
            ));
        }
        section.push_str("</tbody></table>");
    }
    for (content_type, body) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        section.push_str(&format!("<h3>Body</h3><p><code>{}</code>: {}</p>", escaped(content_type), type_of(&body["schema"])));
        section.push_str(&example_of(body));
    }
    section.push_str("<h3>Answers</h3><table><tbody>");
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let body = response["content"].as_object().and_then(|content| content.values().next());
        let shape = body.map(|body| type_of(&body["schema"])).unwrap_or_default();
        section.push_str(&row(status, &shape, response["description"].as_str().unwrap_or_default()));
    }
    section.push_str("</tbody></table>");
    let answers = operation["responses"].as_object().into_iter().flat_map(|responses| responses.values());
    for content in answers.flat_map(|answer| answer["content"].as_object().into_iter().flat_map(|content| content.values())) {
        section.push_str(&example_of(content));
    }
    section.push_str("</section>");
    section
}

fn schema_section(name: &str, schema: &Value) -> String {
    let mut section = format!(
        "<section id=\"schema-{0}\"><h2>{0}</h2><p>{1}</p>",
        escaped(name),
        escaped(schema["description"].as_str().unwrap_or_default())
    );
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> =
            values.iter().filter_map(Value::as_str).map(|value| format!("<code>{}</code>", escaped(value))).collect();
        section.push_str(&format!("<p>{}</p>", values.join(" ")));
    }
    if let Some(properties) = schema["properties"].as_object() {
        section.push_str("<table><tbody>");
        for (field, shape) in properties {
            section.push_str(&row(field, &type_of(shape), shape["description"].as_str().unwrap_or_default()));
        }
        section.push_str("</tbody></table>");
    }
    section.push_str("</section>");
    section
}

fn row(name: &str, shape: &str, about: &str) -> String {
    format!("<tr><th scope=\"row\"><code>{}</code></th><td>{shape}</td><td>{}</td></tr>", escaped(name), escaped(about))
}

/// A schema in a few words, with a link where it has a section of its own.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return format!("<a href=\"#schema-{0}\">{0}</a>", escaped(name));
    }
    if let Some(either) = schema["anyOf"].as_array() {
        return either.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => vec![kind.as_str().unwrap_or("any")],
    };
    let described = kinds.iter().map(|kind| match (*kind, schema["format"].as_str()) {
        ("array", _) => format!("list of {}", type_of(&schema["items"])),
        ("null", _) | (_, None) => escaped(kind),
        (kind, Some(format)) => format!("{} ({})", escaped(kind), escaped(format)),
    });
    described.collect::<Vec<_>>().join(" or ")
}

fn example_of(content: &Value) -> String {
    let Some(example) = content.get("example") else { return String::new() };
    let text = serde_json::to_string_pretty(example).unwrap_or_default();
    format!("<pre>{}</pre>", escaped(&text))
}
