package main

import (
	"context"
	"crypto/rand"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// object is nowhere but in the state: nothing is read, and nothing is written.
type object struct{}

func newObject() resource.Resource { return &object{} }

func (*object) Metadata(_ context.Context, _ resource.MetadataRequest, answer *resource.MetadataResponse) {
	answer.TypeName = "peer_object"
}

func (*object) Schema(_ context.Context, _ resource.SchemaRequest, answer *resource.SchemaResponse) {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	answer.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":    schema.StringAttribute{Computed: true, PlanModifiers: kept},
		"input": schema.MapAttribute{Optional: true, ElementType: types.StringType},
	}}
}

func (*object) Create(ctx context.Context, asked resource.CreateRequest, answer *resource.CreateResponse) {
	answer.State.Raw = asked.Plan.Raw
	answer.Diagnostics.Append(answer.State.SetAttribute(ctx, path.Root("id"), rand.Text())...)
}

// Read leaves the state as it is.
func (*object) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*object) Update(_ context.Context, asked resource.UpdateRequest, answer *resource.UpdateResponse) {
	answer.State.Raw = asked.Plan.Raw
}

func (*object) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
