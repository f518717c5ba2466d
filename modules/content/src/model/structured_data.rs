//! Structured data for search engines: schema.org's `FAQPage` in JSON-LD.

use agio_core::texts::Locale;
use serde_json::{Value, json};

/// The data as JSON; `None` for a page without questions.
///
/// `html` comes from the Markdown renderer, which uses `details` elements for questions only. Relative links become
/// absolute.
pub fn questions(html: &str, locale: Locale, origin: &str) -> Option<String> {
    let questions: Vec<_> = html.split("<details>").skip(1).filter_map(|part| question(part, origin)).collect();
    if questions.is_empty() {
        return None;
    }
    let page = json!({
        "@context": "https://schema.org",
        "@type": "FAQPage",
        "inLanguage": locale.to_string(),
        "mainEntity": questions,
    });
    Some(page.to_string())
}

fn question(part: &str, origin: &str) -> Option<Value> {
    let (summary, rest) = part.split_once("</summary>")?;
    let (answer, _) = rest.split_once("</details>")?;
    let (_, answer) = answer.split_once('>')?;
    let answer = answer.trim_end().strip_suffix("</div>")?.trim();
    let answer = answer.replace("href=\"/", &format!("href=\"{}/", origin.trim_end_matches('/')));
    Some(json!({
        "@type": "Question",
        "name": plain(summary),
        "acceptedAnswer": { "@type": "Answer", "text": answer },
    }))
}

/// Text of markup without tags.
fn plain(markup: &str) -> String {
    let mut words = String::with_capacity(markup.len());
    for (at, piece) in markup.split('<').enumerate() {
        let text = if at == 0 { piece } else { piece.split_once('>').map_or("", |(_, text)| text) };
        words.push_str(text);
    }
    let words =
        words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, Placeholders, render};
    use super::*;

    fn read(markdown: &str) -> Value {
        let names = Placeholders { site: "A & B".into(), support: "help@exchange.example".into() };
        let html = render(markdown, Layout::Questions, Locale::En, &names);
        let data = questions(&html, Locale::En, "https://exchange.example").expect("there are questions");
        serde_json::from_str(&data).expect("it is JSON")
    }

    #[test]
    fn each_question_has_its_words_and_its_answer() {
        let page = read(
            "Before.\n\n## Part\n\n### Is **{site}** 5 < 6? {#is-it}\n\nYes, see [rules](/rules).\n\n- one\n- two\n\n## Other\n\nAside.\n\n### And \"this\"? {#and-this}\n\nNo.\n",
        );
        assert_eq!(page["@type"], "FAQPage");
        let [first, second] = page["mainEntity"].as_array().unwrap().as_slice() else { panic!("{page}") };
        assert_eq!(first["name"], "Is A & B 5 < 6?");
        let answer = first["acceptedAnswer"]["text"].as_str().unwrap();
        assert!(answer.starts_with("<p>Yes, see <a href=\"https://exchange.example/en/rules\""), "{answer}");
        assert!(answer.ends_with("</ul>") && !answer.contains("Aside"), "{answer}");
        assert_eq!((&second["name"], &second["acceptedAnswer"]["text"]), (&json!("And \"this\"?"), &json!("<p>No.</p>")));
    }

    #[test]
    fn markup_in_a_text_is_text() {
        let page =
            read("### </script><script>steal()</script> <!-- {#a-b}\n\n</script><details><summary>x</summary></details>\n");
        let [only] = page["mainEntity"].as_array().unwrap().as_slice() else { panic!("{page}") };
        assert_eq!(only["name"], "</script><script>steal()</script> <!--");
        assert!(only["acceptedAnswer"]["text"].as_str().unwrap().contains("&lt;/script&gt;&lt;details&gt;"), "{page}");
    }

    #[test]
    fn a_page_without_questions_has_none() {
        let html = render("### Heading\n\nText.\n", Layout::Article, Locale::Ru, &Placeholders::default());
        assert_eq!(questions(&html, Locale::Ru, "https://exchange.example"), None);
    }
}
