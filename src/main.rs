fn main() {
    use mcp_checks::*;
    let library = check::discovery::load(None).unwrap();
    let profiles = profile::load(None).unwrap();
    let subject = if std::env::args().nth(1).as_deref() == Some("http") { runner::Subject::Loopback } else { runner::Subject::Embedded };
    let plan = runner::Plan::new(&library, &profiles, &subject, &Default::default());
    let settings = runner::Settings::new(subject);
    let summary = runner::run(&plan, &library.support, &settings, |event| {
        if let runner::Event::ExecutionFinished(e) = event {
            println!("{} {} {:?}", e.name(), e.profile, e.trouble.as_ref().map(|t| match t { runner::event::Trouble::Broken(r) => format!("{r:?}"), t => format!("{t:?}") }));
            for c in &e.checkpoints { println!("   {} {} {:?}", c.checkpoint.id, c.verdict, c.decision.as_ref().map(|d| (&d.reason, &d.expected, &d.actual))); }
            if e.profile == "stateless-http" && !e.exchanges.is_empty() { println!("{}", wire::text::render_all(&e.exchanges, &settings.style)); }
        }
    });
    println!("{summary:?}");
}
