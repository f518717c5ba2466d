//! Path templates.

/// Values by path template: `/api/v1/claim/{id}/status/`. Trailing slashes do not count.
pub struct PathTemplates<T>(Vec<(Vec<String>, T)>);

impl<T> FromIterator<(String, T)> for PathTemplates<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(templates: I) -> Self {
        Self(templates.into_iter().map(|(template, value)| (parts(&template), value)).collect())
    }
}

impl<T> PathTemplates<T> {
    /// The value of the best matching template: the one with the fewest parameters.
    pub fn find(&self, path: &str) -> Option<&T> {
        let path = parts(path);
        let fixed_parts = |template: &[String]| {
            let fits = template.iter().zip(&path).all(|(part, given)| part.starts_with('{') || part == given);
            (template.len() == path.len() && fits).then(|| template.iter().filter(|part| !part.starts_with('{')).count())
        };
        let found = self.0.iter().filter_map(|(template, value)| Some((fixed_parts(template)?, value)));
        found.max_by_key(|(fixed, _)| *fixed).map(|(_, value)| value)
    }
}

fn parts(path: &str) -> Vec<String> {
    path.trim_matches('/').split('/').map(str::to_owned).collect()
}
