use proptest::prelude::*;

use super::*;

fn names() -> Placeholders {
    Placeholders { site: "Ag*io*".into(), support: "help@agio.example".into() }
}

fn article(markdown: &str) -> String {
    render(markdown, Layout::Article, Locale::Ru, &names())
}

#[test]
fn a_text_keeps_what_a_text_needs() {
    let html = article("Сумма **точная**.\n\n1. раз\n2. два\n\n| Сеть | Ждём |\n|---|--:|\n| Bitcoin | 2 |\n\n> Важно\n");
    assert!(html.contains("<strong>точная</strong>") && html.contains("<ol>") && html.contains("<blockquote>"), "{html}");
    assert!(html.contains("<td align=\"right\">2</td>") && !html.contains("style="), "{html}");
}

#[test]
fn names_are_text_and_never_markdown() {
    let html = article("# О {site}\n\n[{support}](mailto:{support}) {nobody}\n");
    assert!(html.contains(">О Ag*io*</h2>"), "{html}");
    assert!(html.contains("href=\"mailto:help@agio.example\"") && html.contains(">help@agio.example</a> {nobody}"), "{html}");
}

#[test]
fn html_in_the_markdown_is_shown_and_does_nothing() {
    for markdown in [
        "<script>steal()</script>",
        "a <img src=x onerror=steal()> b",
        "<iframe src=\"https://evil.example\"></iframe>\n\n<style>*{}</style>",
        "<details open ontoggle=steal()>",
        "<svg><script>steal()</script></svg>",
        "</div></details></main><form action=https://evil.example>",
        "## Title {#x onclick=steal() .class}",
        "[a](<javascript:steal()>)",
        "`<script>`\n\n    <script>steal()</script>",
        "<!-- --><script>steal()</script>-->",
        "[a]: https://a.example \"onmouseover=steal()\"\n\n[a]",
        "&lt;script&gt;steal()&lt;/script&gt;",
    ] {
        for layout in [Layout::Article, Layout::Questions] {
            let html = render(markdown, layout, Locale::Ru, &names());
            for bad in ["<script", "<img", "<iframe", "<style", "<svg", "<form", "<details open", "javascript:", "onclick="] {
                assert!(!html.contains(bad), "{markdown:?} became {html}");
            }
        }
    }
}

#[test]
fn a_link_leads_to_https_to_mail_to_this_site_or_nowhere() {
    let href = |link: &str, locale| {
        let html = render(&format!("[words](<{link}>)"), Layout::Article, locale, &names());
        let href = html.split("href=\"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned);
        assert!(html.contains("words"), "{html}");
        href
    };
    for (link, ru, en) in [
        ("https://a.example/x", Some("https://a.example/x"), Some("https://a.example/x")),
        ("mailto:a@b.example", Some("mailto:a@b.example"), Some("mailto:a@b.example")),
        ("/rules#s-refund", Some("/rules#s-refund"), Some("/en/rules#s-refund")),
        ("/", Some("/"), Some("/en")),
        ("/docs", Some("/docs"), Some("/docs")),
        ("/en/rules", Some("/en/rules"), Some("/en/rules")),
        ("#late-payment", Some("#late-payment"), Some("#late-payment")),
        ("//evil.example", None, None),
        ("/\\evil.example", None, None),
        ("http://a.example", None, None),
        ("JavaScript:steal()", None, None),
        ("java\tscript:steal()", None, None),
        ("data:text/html,x", None, None),
        ("rules", None, None),
    ] {
        assert_eq!(href(link, Locale::Ru).as_deref(), ru, "{link}");
        assert_eq!(href(link, Locale::En).as_deref(), en, "{link}");
    }
}

#[test]
fn headings_can_be_linked_to() {
    let html = article("## Возврат {#refund}\n\n## Process\n\n## Process\n\n### Сроки и суммы\n");
    for id in ["s-refund", "s-process", "s-process--2", "сроки-и-суммы"] {
        assert!(html.contains(&format!(" id=\"{id}\"")), "{id}: {html}");
    }
    assert!(html.starts_with("<nav aria-label=\"Содержание\"><ul><li><a href=\"#s-refund\">Возврат</a></li>"), "{html}");
    assert!(!article("## Одна\n\n## Две\n").contains("<nav"));
}

#[test]
fn questions_open_without_a_script() {
    let html =
        render("## Курс\n\n### Когда?\n\nСразу.\n\n### Где?\n\nЗдесь.\n\n## Ещё\n", Layout::Questions, Locale::Ru, &names());
    let first = "<details><summary>\n<h3>Когда?</h3>\n</summary><div id=\"s-когда\">\n<p>Сразу.</p>\n</div></details>";
    assert!(html.contains(first), "{html}");
    assert_eq!(html.matches("<details>").count(), html.matches("</div></details>").count());
    assert!(html.contains("</details>\n<h2 id=\"s-ещё\">"), "{html}");
    assert!(!article("### Когда?\n").contains("<details"));
}

proptest! {
    /// Whatever is written, no element and no attribute comes out that is not among those allowed.
    #[test]
    fn nothing_else_comes_out(markdown in "[<>a-z\"'=/\\\\#\\[\\]()!`*_{}:&; \n|-]{0,200}") {
        for layout in [Layout::Article, Layout::Questions] {
            let html = render(&markdown, layout, Locale::En, &names());
            let again = clean(&html);
            let body = if html.starts_with("<nav") { html.split_once("</nav>\n").unwrap().1.to_owned() } else { html.clone() };
            prop_assert!(again.ends_with(&body) || clean(&body) == body, "{html}");
        }
    }
}
