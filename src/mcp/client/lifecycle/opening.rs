//! A connection that is being opened, as a type for each stage: [`Opening`].
//!
//! Each step takes the stage before and gives the next one, so that none can be
//! left out or taken twice, and only the last gives a [`Connection`]. What is
//! dropped before that came to nothing, and says so.

use std::marker::PhantomData;

use serde_json::Value;

use crate::mcp::Revision;
use crate::mcp::client::error::{ClientError, ErrorKind};
use crate::mcp::client::stage::{Life, Stage};
use crate::mcp::client::transport::Session;
use crate::mcp::negotiation::{Agreement, CapabilityPath, Offer, Policy, Refusal};

/// A connection that was opened; there is no other way to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    session: Session,
    introduction: Value,
    enabled: Vec<CapabilityPath>,
}

impl Connection {
    /// What every message carries from now on.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What the server said of itself: the result of `initialize` or
    /// `server/discover`; null if it knows neither.
    pub fn introduction(&self) -> &Value {
        &self.introduction
    }

    /// The policy's optional capabilities that the server declares.
    pub fn enabled(&self) -> &[CapabilityPath] {
        &self.enabled
    }

    /// Whether the server declares the capability; one that said nothing of
    /// itself may have any.
    pub fn declares(&self, capability: &CapabilityPath) -> bool {
        self.introduction.is_null() || capability.is_on(&self.introduction["capabilities"])
    }
}

/// A connection that is being opened, at the stage `S`.
pub struct Opening<S> {
    life: Unsettled,
    stage: S,
}

/// Nothing was sent.
pub struct New;

/// The server was asked by the method `M`.
pub struct Asked<M>(PhantomData<M>);

/// A method by which a server is asked what it is.
pub trait Question {
    /// Its name.
    const METHOD: &'static str;

    /// Its result, as what is negotiated over.
    fn offer(result: &Value) -> Offer<'_>;

    /// The versions that its result names, whatever else it lacks.
    fn versions(result: &Value) -> Vec<String>;
}

/// Asked by `initialize`.
pub struct Initialize;

impl Question for Initialize {
    const METHOD: &'static str = "initialize";

    fn offer(result: &Value) -> Offer<'_> {
        Offer::Initialize(result)
    }

    fn versions(result: &Value) -> Vec<String> {
        result["protocolVersion"].as_str().map(str::to_owned).into_iter().collect()
    }
}

/// Asked by `server/discover`.
pub struct Discover;

impl Question for Discover {
    const METHOD: &'static str = "server/discover";

    fn offer(result: &Value) -> Offer<'_> {
        Offer::Discover(result)
    }

    fn versions(result: &Value) -> Vec<String> {
        let listed = result["supportedVersions"].as_array().into_iter().flatten();
        listed.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// All that the policy asks for is there.
pub struct Agreed<M> {
    agreement: Agreement,
    introduction: Value,
    asked: PhantomData<M>,
}

/// The server knows that the client is ready.
pub struct Confirmed(Agreed<Initialize>);

/// The life of a connection; unless it is settled, it ends as refused.
struct Unsettled {
    life: Life,
    is_settled: bool,
}

impl Drop for Unsettled {
    fn drop(&mut self) {
        if !self.is_settled {
            self.life.enter(Stage::Refused);
        }
    }
}

impl<S> Opening<S> {
    fn enter<T>(self, stage: Stage, next: T) -> Opening<T> {
        self.life.life.enter(stage);
        Opening { life: self.life, stage: next }
    }
}

impl Opening<New> {
    /// A connection that is noted in `life`.
    pub fn new(life: &Life) -> Self {
        life.enter(Stage::New);
        Opening { life: Unsettled { life: life.clone(), is_settled: false }, stage: New }
    }

    /// `initialize` is sent.
    pub fn initialize(self) -> Opening<Asked<Initialize>> {
        self.enter(Stage::InitializeSent, Asked(PhantomData))
    }

    /// `server/discover` is sent.
    pub fn discover(self) -> Opening<Asked<Discover>> {
        self.enter(Stage::DiscoverSent, Asked(PhantomData))
    }
}

impl Opening<Asked<Discover>> {
    /// The version of the request was refused; it is sent with another one.
    pub fn asked_again(self) -> Self {
        self.enter(Stage::DiscoverSent, Asked(PhantomData))
    }

    /// The server does not say what it is. That is enough for a policy that
    /// requires nothing of it.
    ///
    /// # Errors
    /// [`ErrorKind::MissingCapabilities`]
    pub fn unanswered(
        mut self,
        session: Session,
        policy: &Policy,
    ) -> Result<Connection, ClientError> {
        if !policy.required.is_empty() {
            let missing = policy.required.clone();
            let refusal = Refusal::MissingRequiredCapabilities { missing };
            return Err(refused(Discover::METHOD, refusal));
        }
        self.life.is_settled = true;
        self.life.life.enter(Stage::Ready);
        Ok(Connection { session, introduction: Value::Null, enabled: Vec::new() })
    }
}

impl<M: Question> Opening<Asked<M>> {
    /// Holds the result of the method against the policy: the three questions of
    /// a negotiation, each a stage.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidResult`], [`ErrorKind::UnsupportedVersion`],
    /// [`ErrorKind::MissingCapabilities`].
    pub fn answered(
        self,
        introduction: Value,
        policy: &Policy,
    ) -> Result<Opening<Agreed<M>>, ClientError> {
        let Opening { life: unsettled, .. } = &self;
        let agreement = (|| {
            let validated = M::offer(&introduction).validate()?;
            unsettled.life.enter(Stage::ResponseValidated);
            let accepted = validated.accept_version(policy)?;
            unsettled.life.enter(Stage::VersionAccepted);
            accepted.require_capabilities(policy)
        })();
        let agreement = agreement.map_err(|refusal| {
            refused(M::METHOD, refusal).with(|facts| facts.named = M::versions(&introduction))
        })?;
        let agreed = Agreed { agreement, introduction, asked: PhantomData };
        Ok(self.enter(Stage::CapabilitiesPresent, agreed))
    }
}

impl<M> Opening<Agreed<M>> {
    /// The revision of the version that was agreed on.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedVersion`] if the policy accepts a version that
    /// this client does not speak.
    pub fn revision(&self) -> Result<Revision, ClientError> {
        let version = &self.stage.agreement.version;
        version.parse().map_err(|_| {
            let message = "the policy accepts a version that this client does not speak";
            ClientError::new(ErrorKind::UnsupportedVersion, message)
                .with(|facts| facts.version = Some(version.clone()))
        })
    }
}

impl Opening<Agreed<Initialize>> {
    /// `notifications/initialized` was accepted.
    pub fn confirmed(self) -> Opening<Confirmed> {
        let Opening { life, stage } = self;
        life.life.enter(Stage::InitializedSent);
        Opening { life, stage: Confirmed(stage) }
    }
}

impl Opening<Confirmed> {
    /// The connection, whose messages carry `session`.
    pub fn ready(self, session: Session) -> Connection {
        connection(self.life, self.stage.0, session)
    }
}

impl Opening<Agreed<Discover>> {
    /// The connection, whose messages carry `session`.
    pub fn ready(self, session: Session) -> Connection {
        connection(self.life, self.stage, session)
    }
}

fn connection<M>(mut life: Unsettled, agreed: Agreed<M>, session: Session) -> Connection {
    life.is_settled = true;
    life.life.enter(Stage::Ready);
    let Agreed { agreement, introduction, .. } = agreed;
    Connection { session, introduction, enabled: agreement.enabled }
}

/// A refusal as the error of an operation.
fn refused(method: &str, refusal: Refusal) -> ClientError {
    let category = refusal.category();
    let error = match refusal {
        Refusal::InvalidResponse { lacks } => {
            let message = format!("the result of {method} has no {lacks}");
            ClientError::new(ErrorKind::InvalidResult, message)
        }
        Refusal::UnsupportedProtocolVersion { offered } if method == Initialize::METHOD => {
            let message = "the server chose a protocol version that this client does not accept";
            ClientError::new(ErrorKind::UnsupportedVersion, message)
                .with(|facts| facts.version = offered.into_iter().next())
        }
        Refusal::UnsupportedProtocolVersion { offered } => {
            let message = "the server supports no protocol version that this client accepts";
            ClientError::new(ErrorKind::UnsupportedVersion, message)
                .with(|facts| facts.supported = Some(offered))
        }
        Refusal::MissingRequiredCapabilities { missing } => {
            let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
            let names_in_words = names.join(", ");
            let message = format!("the server does not declare what is required: {names_in_words}");
            ClientError::new(ErrorKind::MissingCapabilities, message)
                .with(|facts| facts.missing = Some(names))
        }
    };
    error.with(|facts| facts.category = Some(category))
}
