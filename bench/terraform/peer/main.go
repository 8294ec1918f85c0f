// A Terraform provider on HashiCorp's framework that does nothing: the cost of one in Go before it makes any request.
// Rolecall's is measured beside it.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

const address = "registry.terraform.io/rolecall/peer"

func main() {
	options := providerserver.ServeOpts{Address: address, ProtocolVersion: 6}
	if err := providerserver.Serve(context.Background(), newProvider, options); err != nil {
		log.Fatal(err)
	}
}

type peer struct{}

func newProvider() provider.Provider { return &peer{} }

func (*peer) Metadata(_ context.Context, _ provider.MetadataRequest, answer *provider.MetadataResponse) {
	answer.TypeName = "peer"
}

func (*peer) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (*peer) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (*peer) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*peer) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newObject}
}
