//! The API documentation: the OpenAPI documents and a page for each. Pages are plain HTML and CSS, rendered at the
//! first request, so that they work offline and under a strict content security policy.

use std::sync::LazyLock;

use agio_core::markup::escape;
use agio_core::texts::Locale;
use poem::Response;
use poem::http::{StatusCode, header};
use serde_json::{Map, Value};

use crate::openapi::PublishedDocuments;

const STYLE: &str = include_str!("docs.css");

const OPTIONAL: &str = ", optional";

pub struct Docs {
    rendered: LazyLock<Rendered>,
}

struct Rendered {
    public: Document,
    console: Document,
    partner: Document,
    /// The partners' page with the guide in Russian.
    partner_ru: String,
}

struct Document {
    json: String,
    page: String,
}

impl Default for Docs {
    /// They are rendered when they are first asked for.
    fn default() -> Self {
        Self { rendered: LazyLock::new(Rendered::of_published) }
    }
}

impl Docs {
    /// Answers a request below `/docs` or `/openapi`. The site's name replaces that of the software in titles.
    pub fn respond(&self, path: &str, site_name: &str) -> Response {
        let html = |page: &str| html(&titled(page, &escape(site_name)));
        let json = |document: &Document| {
            let quoted = Value::from(site_name).to_string();
            file("application/json", &titled(&document.json, quoted.trim_matches('"')))
        };
        match path.trim_end_matches('/') {
            "/docs" => html(&self.rendered.public.page),
            "/docs/admin" => html(&self.rendered.console.page),
            "/docs/partner" => html(&self.rendered.partner.page),
            "/docs/partner/ru" => html(&self.rendered.partner_ru),
            "/docs/docs.css" => file("text/css; charset=utf-8", STYLE),
            "/openapi/public.json" => json(&self.rendered.public),
            "/openapi/admin.json" => json(&self.rendered.console),
            "/openapi/partner.json" => json(&self.rendered.partner),
            _ => Response::builder().status(StatusCode::NOT_FOUND).content_type("text/plain").body("404 | page not found"),
        }
    }
}

impl Rendered {
    fn of_published() -> Self {
        let PublishedDocuments { public, console, partner } = PublishedDocuments::read();
        let parse = |json: &str| serde_json::from_str::<Value>(json).expect("the published documents are JSON");
        let document = |json: String| Document { page: page(&parse(&json), Locale::En, ""), json };
        let partner_spec = parse(&partner);
        let guided = |locale| page(&partner_spec, locale, &agio_partners::guide(locale));
        Self {
            public: document(public),
            console: document(console),
            partner: Document { json: partner, page: guided(Locale::En) },
            partner_ru: guided(Locale::Ru),
        }
    }
}

/// Headers such as `X-Agio-Key` keep their names: clients depend on them.
fn titled(document: &str, site_name: &str) -> String {
    ["public API", "partner API", "console API"]
        .iter()
        .fold(document.to_owned(), |text, title| text.replace(&format!("Agio {title}"), &format!("{site_name} {title}")))
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

/// The page of a document, after its guide if it has one: operations by their tags, webhooks, schemas.
fn page(spec: &Value, locale: Locale, guide: &str) -> String {
    let title = escape(spec["info"]["title"].as_str().unwrap_or_default());
    let about = prose(&spec["info"]);
    let (mut contents, mut body) = (String::new(), String::new());
    for (id, heading) in headings(guide) {
        contents.push_str(&format!("<li><a href=\"#{id}\">{heading}</a></li>"));
    }
    let operations: Vec<_> = [&spec["paths"], &spec["webhooks"]]
        .into_iter()
        .filter_map(Value::as_object)
        .flatten()
        .flat_map(|(path, operations)| operations.as_object().into_iter().flatten().map(move |(method, of)| (path, method, of)))
        .collect();
    for tag in spec["tags"].as_array().into_iter().flatten() {
        let about = escape(tag["description"].as_str().unwrap_or_default().trim_end_matches('.'));
        contents.push_str(&format!("</ul><p class=\"group\">{about}</p><ul>"));
        for (path, method, operation) in operations.iter().filter(|(.., operation)| operation["tags"][0] == tag["name"]) {
            let id = escape(operation["operationId"].as_str().unwrap_or_default());
            let summary = escape(operation["summary"].as_str().unwrap_or_default());
            contents.push_str(&format!("<li><a href=\"#{id}\">{summary}</a></li>"));
            body.push_str(&operation_section(spec, &id, &summary, method, path, operation));
        }
    }
    for (name, schema) in spec["components"]["schemas"].as_object().into_iter().flatten() {
        body.push_str(&schema_section(name, schema));
    }
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
        <title>{title}</title><link rel=\"icon\" href=\"/favicon.svg\"><link rel=\"stylesheet\" href=\"/docs/docs.css\"></head><body>\
        <nav aria-label=\"Operations\"><p class=\"brand\">{title}</p><ul>{contents}</ul></nav>\
        <main><h1>{title}</h1>{about}<p><a href=\"/openapi/public.json\">public.json</a> · <a href=\"/openapi/admin.json\">admin.json</a> · \
        <a href=\"/openapi/partner.json\">partner.json</a> · <a href=\"/docs\">Public API</a> · <a href=\"/docs/admin\">Console API</a> · \
        <a href=\"/docs/partner\">Partner API</a> · <a href=\"/docs/partner/ru\" lang=\"ru\">Партнёрам, по-русски</a></p><div lang=\"{locale}\">{guide}</div>{body}</main></body></html>"
    )
}

/// The description of an object as HTML. Of CommonMark, descriptions have paragraphs and code.
fn prose(described: &Value) -> String {
    let paragraph = |text: &str| {
        let parts = text.split('`').map(escape).enumerate();
        let parts: String =
            parts.map(|(number, part)| if number % 2 == 1 { format!("<code>{part}</code>") } else { part }).collect();
        format!("<p>{parts}</p>")
    };
    let text = described["description"].as_str().unwrap_or_default();
    text.split("\n\n").filter(|text| !text.is_empty()).map(paragraph).collect()
}

/// The ids and headings of the sections of a guide.
fn headings(guide: &str) -> impl Iterator<Item = (&str, &str)> {
    guide.split("<section id=\"").skip(1).filter_map(|section| {
        let (id, rest) = section.split_once("\"><h2>")?;
        Some((id, rest.split_once("</h2>")?.0))
    })
}

fn operation_section(spec: &Value, id: &str, summary: &str, method: &str, path: &str, operation: &Value) -> String {
    let mut section = format!(
        "<section id=\"{id}\"><h2>{summary}</h2><p class=\"call\"><b class=\"{method}\">{}</b> <code>{}</code></p>{}",
        method.to_uppercase(),
        escape(path),
        prose(operation)
    );
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !parameters.is_empty() {
        section.push_str("<h3>Parameters</h3><table><tbody>");
        for parameter in parameters.iter().map(|parameter| resolve(spec, parameter)) {
            let place = parameter["in"].as_str().unwrap_or_default();
            let optional = if parameter["required"] == true { "" } else { OPTIONAL };
            let shape = format!("{place}, {}{optional}", type_of(&parameter["schema"]));
            section.push_str(&row(parameter["name"].as_str().unwrap_or_default(), &shape, parameter));
        }
        section.push_str("</tbody></table>");
    }
    for (content_type, body) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        section.push_str(&format!(
            "<h3>Request body</h3><p><code>{}</code>: {}</p>",
            escape(content_type),
            type_of(&body["schema"])
        ));
        section.push_str(&example_of(body));
    }
    section.push_str("<h3>Responses</h3><table><tbody>");
    let responses = || {
        let responses = operation["responses"].as_object().into_iter().flatten();
        responses.map(|(status, response)| (status, response, resolve(spec, response)))
    };
    for (status, described, response) in responses() {
        let body = response["content"].as_object().and_then(|content| content.values().next());
        let shape = body.map(|body| type_of(&body["schema"])).unwrap_or_default();
        section.push_str(&row(status, &shape, if described["description"].is_string() { described } else { response }));
    }
    section.push_str("</tbody></table>");
    for content in responses().flat_map(|(.., response)| response["content"].as_object().into_iter().flat_map(Map::values)) {
        section.push_str(&example_of(content));
    }
    section.push_str("</section>");
    section
}

/// The object itself, or the one its `$ref` points to.
fn resolve<'v>(spec: &'v Value, object: &'v Value) -> &'v Value {
    let target = object["$ref"].as_str().and_then(|reference| spec.pointer(reference.trim_start_matches('#')));
    target.unwrap_or(object)
}

fn schema_section(name: &str, schema: &Value) -> String {
    let mut section = format!("<section id=\"schema-{0}\"><h2>{0}</h2>{1}", escape(name), prose(schema));
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> =
            values.iter().filter_map(Value::as_str).map(|value| format!("<code>{}</code>", escape(value))).collect();
        section.push_str(&format!("<p>{}</p>", values.join(" ")));
    }
    if let Some(properties) = schema["properties"].as_object() {
        section.push_str("<table><tbody>");
        for (field, shape) in properties {
            let is_required =
                schema["required"].as_array().is_some_and(|required| required.contains(&Value::from(field.as_str())));
            let optional = if is_required { "" } else { OPTIONAL };
            section.push_str(&row(field, &format!("{}{optional}", type_of(shape)), shape));
        }
        section.push_str("</tbody></table>");
    }
    section.push_str("</section>");
    section
}

fn row(name: &str, shape: &str, described: &Value) -> String {
    format!("<tr><th scope=\"row\"><code>{}</code></th><td>{shape}</td><td>{}</td></tr>", escape(name), prose(described))
}

/// A short description of a schema with its bounds, with a link if it has a section. A format says enough of the text.
fn type_of(schema: &Value) -> String {
    let mut text = kinds_of(schema);
    for (name, key) in [("from", "minimum"), ("to", "maximum"), ("default", "default")] {
        let value = &schema[key];
        if !value.is_null() {
            text.push_str(&format!(", {name} {}", escape(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))));
        }
    }
    if schema["format"].is_null() {
        if let Some(length) = schema["maxLength"].as_u64() {
            text.push_str(&format!(", at most {length} characters"));
        }
        if let Some(pattern) = schema["pattern"].as_str() {
            text.push_str(&format!(", <code>{}</code>", escape(pattern)));
        }
    }
    text
}

fn kinds_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return format!("<a href=\"#schema-{0}\">{0}</a>", escape(name));
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
        ("null", _) | (_, None) => escape(kind),
        (kind, Some(format)) => format!("{} ({})", escape(kind), escape(format)),
    });
    described.collect::<Vec<_>>().join(" or ")
}

fn example_of(content: &Value) -> String {
    let Some(example) = content.get("example") else { return String::new() };
    let text = serde_json::to_string_pretty(example).unwrap_or_default();
    format!("<pre>{}</pre>", escape(&text))
}
