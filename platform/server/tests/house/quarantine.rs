//! Plugins that were given up: staff hear of each once.

use std::path::Path;
use std::time::Duration;

use agio_plugin_host::State;
use agio_testkit::{Database, Engine, House};

use crate::alerts::told;

const MINUTE: Duration = Duration::from_secs(60);
const OWNER: &str = "owner@agio.example";
/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Files that are no libraries, and their SHA-256.
const GUEST: (&str, &str) = ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
const OTHER: (&str, &str) = ("abcd", "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589");

/// Puts a library there that cannot be loaded; whoever lists it has it run.
fn lies(folder: &Path, name: &str, (bytes, _): (&str, &str)) {
    std::fs::write(folder.join(format!("lib{name}.{}", std::env::consts::DLL_EXTENSION)), bytes).unwrap();
}

/// Waits until the plugin was started in vain so often that it is given up, more than so many starts ago, and says why as the console shows it.
async fn is_given_up(house: &House, name: &str, starts: u64) -> String {
    let entry = house.app.shelf.entry(name).unwrap();
    let plugin = entry.supervised().unwrap();
    let mut states = plugin.states();
    let given_up = async {
        while !matches!(plugin.health().state, State::Quarantined { .. }) || plugin.health().restarts < starts {
            states.changed().await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, given_up).await.expect("it is given up in time");
    let shown = house.owner().await.get("/api/admin/v1/plugins").await.ok();
    let plugin = shown["items"].as_array().unwrap().iter().find(|plugin| plugin["name"] == name).unwrap();
    assert_eq!(plugin["state"], "quarantined");
    plugin["reason"].as_str().unwrap().to_owned()
}

async fn owners_hear_of_a_plugin_in_quarantine_once_and_of_the_next_quarantine_again(engine: Engine) {
    let outfit = tempfile::tempdir().unwrap();
    let (folder, list) = (outfit.path().join("plugins"), outfit.path().join("plugins.toml"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(&list, format!("[plugins.allowed]\nguest = \"{}\"\nother = \"{}\"\n", GUEST.1, OTHER.1)).unwrap();
    let house = House::open_on(Database::furnished(engine).await, |config| {
        config.plugins.folder.clone_from(&folder);
        config.plugins.list.clone_from(&list);
    })
    .await;
    lies(&folder, "guest", GUEST);
    house.owner().await;
    house.later(MINUTE).await;
    let reason = is_given_up(&house, "guest", 0).await;
    house.later(MINUTE).await;
    let [mail] = told(&house, OWNER).await.try_into().unwrap();
    assert_eq!((mail.kind.as_str(), mail.subject.as_str()), ("alert_plugin", "Плагин остановлен: guest"));
    assert!(mail.text.contains(&reason) && mail.text.contains("/admin/plugins"), "{} / {reason}", mail.text);

    lies(&folder, "other", OTHER);
    house.later(MINUTE).await;
    is_given_up(&house, "other", 0).await;
    house.later(MINUTE).await;
    let mails = told(&house, OWNER).await;
    assert_eq!(
        (mails.len(), mails[1].subject.as_str()),
        (2, "Плагин остановлен: other"),
        "at once, though of another one it was just told"
    );
    house.later(200 * MINUTE).await;
    assert_eq!(told(&house, OWNER).await.len(), 2, "of each quarantine they hear once");

    let starts = house.app.shelf.entry("guest").unwrap().supervised().unwrap().health().restarts;
    house.owner().await.post_empty("/api/admin/v1/plugins/guest/revival").await.ok();
    is_given_up(&house, "guest", starts + 1).await;
    house.later(MINUTE).await;
    let mails = told(&house, OWNER).await;
    assert_eq!((mails.len(), mails[2].subject.as_str()), (3, "Плагин остановлен: guest"));
}

agio_testkit::both_engines!(owners_hear_of_a_plugin_in_quarantine_once_and_of_the_next_quarantine_again,);
