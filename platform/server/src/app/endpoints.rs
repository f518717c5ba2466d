//! The endpoints of the listeners: middleware, sites and APIs.

use std::sync::{Arc, LazyLock};

use agio_calculator::CalculatorApi;
use agio_core::Result;
use poem::{EndpointExt as _, IntoEndpoint as _};

use super::App;
use crate::config::Config;
use crate::http::brand::{BrandPages, ConsolePages};
use crate::http::docs::Docs;
use crate::http::embedded_sites;
use crate::http::health::ReadCheck;
use crate::http::idempotency::IdempotencyMiddleware;
use crate::http::listeners::{ListenerAudience, ListenerEndpoint};
use crate::http::market_pages::{MarketAnswers, MarketLinks, MarketPages};
use crate::http::middleware::Middleware;
use crate::http::news_pages::NewsPages;
use crate::http::page_content::PublishedTexts;
use crate::http::rate_limit::RateLimit;
use crate::http::review_pages::{ReviewPages, SiteRoutes};
use crate::http::site::{Policy, Shell, Site};
use crate::http::sitemap::Sitemap;
use crate::http::streams::StreamLimit;
use crate::openapi::{Declared, DeclaredOperations};

/// Pages of the public site that are rendered in the browser, in both languages.
const PUBLIC_SHELLS: &[Shell] = &[
    Shell { prefix: "claim", shell: "claim.html" },
    Shell { prefix: "en/claim", shell: "en/claim.html" },
    Shell { prefix: "verify", shell: "app.html" },
    Shell { prefix: "en/verify", shell: "en/app.html" },
    Shell { prefix: "waitlist", shell: "app.html" },
    Shell { prefix: "en/waitlist", shell: "en/app.html" },
];

/// The console is a single-page application.
const CONSOLE_SHELLS: &[Shell] = &[Shell { prefix: "", shell: "index.html" }];

impl App {
    /// The endpoint of the public listener, and the console's if it has a listener of its own.
    ///
    /// # Errors
    /// A site cannot be read.
    pub fn endpoints(&self, config: &Config) -> Result<(ListenerEndpoint, Option<ListenerEndpoint>)> {
        let middleware = Arc::new(self.middleware(config)?);
        Ok(match config.admin.listen {
            None => (ListenerEndpoint::new(middleware, ListenerAudience::Everyone), None),
            Some(_) => (
                ListenerEndpoint::new(middleware.clone(), ListenerAudience::Public),
                Some(ListenerEndpoint::new(middleware, ListenerAudience::Staff)),
            ),
        })
    }

    fn middleware(&self, config: &Config) -> Result<Middleware> {
        let (app, app_for_home) = (self.clone(), self.clone());
        let declared: Arc<DeclaredOperations> = Arc::new(LazyLock::new(Box::new(move || Declared::of(&app.declared_apis()))));
        let brand = BrandPages {
            brands: self.brands.clone(),
            settings: self.platform.settings.clone(),
            reviews: self.reviews.clone(),
            content: self.content.clone(),
            messengers: self.messengers.clone(),
            sends_emails: self.mailer.reaches_customers(),
            texts: self.texts.clone(),
            origin: self.public_url.clone(),
        };
        let reviews = Arc::new(ReviewPages {
            reviews: self.reviews.clone(),
            brands: self.brands.clone(),
            texts: self.texts.clone(),
            origin: self.public_url.clone(),
        });
        let news = Arc::new(NewsPages {
            content: self.content.clone(),
            brands: self.brands.clone(),
            texts: self.texts.clone(),
            origin: self.public_url.clone(),
        });
        let market_pages = Arc::new(MarketPages {
            calculator: self.calculator.clone(),
            api: CalculatorApi::new(self.calculator.clone(), self.discounts.clone(), self.messengers.clone()),
            waitlist: self.waitlist.clone(),
            settings: self.platform.settings.clone(),
            texts: self.texts.clone(),
            origin: self.public_url.clone(),
            sitemap: Sitemap::default(),
            links: MarketLinks::default(),
            answers: MarketAnswers::default(),
        });
        Ok(Middleware {
            platform: self.platform.clone(),
            claims: self.claims.clone(),
            reads: ReadCheck::default(),
            ledger: self.ledger.clone(),
            metrics: self.metrics.clone(),
            texts: self.texts.clone(),
            staff: self.auth.clone(),
            customers: self.auth.clone(),
            sessions: self.auth.clone(),
            public_api: Arc::new(self.public_api().into_endpoint().boxed()),
            console_api: Arc::new(self.console_api().into_endpoint().boxed()),
            public_site: Site::open(&config.sites.public, &embedded_sites::public, PUBLIC_SHELLS, Policy::Strict)?
                .with_origin(&self.public_url)
                .with_captcha((!config.captcha.verify_url.is_empty()).then_some(config.captcha.provider))
                .with_settings(self.platform.settings.clone())
                .with_opening(Box::new(move || app_for_home.is_closed()))
                .with_page_content(vec![
                    Arc::new(PublishedTexts { content: self.content.clone(), origin: self.public_url.clone() }),
                    reviews.clone(),
                    news.clone(),
                    market_pages.clone(),
                    Arc::new(brand.clone()),
                ])
                .with_routes(Arc::new(SiteRoutes { reviews, news, market: market_pages })),
            brand,
            console_site: Site::open(&config.sites.console, &embedded_sites::console, CONSOLE_SHELLS, Policy::Nonce)?
                .with_page_content(vec![Arc::new(ConsolePages { brands: self.brands.clone() })]),
            help: Site::open(&config.sites.help, &embedded_sites::help, &[], Policy::Strict)?,
            partners: self.partners.clone(),
            partner_api: Arc::new(self.partner_api().into_endpoint().boxed()),
            idempotency: IdempotencyMiddleware::new(&self.platform, declared.clone()),
            declared,
            docs: Docs::default(),
            rate_limit: RateLimit::new(config.server.calls_per_minute, self.node_count.clone()),
            crawlers: self.feeds.clone(),
            trusted_proxies: config.server.trusted_proxies.clone(),
            proxy_header: config.server.proxy_header,
            streams: StreamLimit::new(config.connections.streams_per_caller),
            https: self.secure_cookies,
        })
    }
}
